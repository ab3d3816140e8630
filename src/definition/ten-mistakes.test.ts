import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { FaultError } from '../kernel/fault.ts';
import { cadreFromTexts, readCadre } from './load.ts';

const folder = fileURLToPath(new URL('../../test/fixtures/ten-mistakes', import.meta.url));

test('ten planted mistakes are all found at once, each at its place', async () => {
  const { diagnostics, agents, cadre } = await readCadre(folder);
  const places = diagnostics.map(
    ({ code, file, line, column, endColumn }) => `${file}:${line}:${column}-${endColumn} ${code}`,
  );
  expect(places).toEqual([
    '01-unknown-key.md:4:1-8 key/unknown',
    '02-unresolved.md:6:5-14 ref/unresolved',
    '03-cycle-c.md:4:12-13 graph/cycle',
    '04-undescribed.md:2:7-18 description/missing',
    '05-never-fits.md:7:7-16 chain/never-fits',
    '06-no-destination.md:4:25-27 value/range',
    '07-boss-is-member.md:5:13-21 team/supervisor-member',
    '08-wrong-type.md:4:11-14 value/type',
    '09-bad-schema.md:9:22-27 schema/invalid',
    '10-unknown-tool.md:4:16-23 tool/unknown',
  ]);
  expect(diagnostics.every(({ severity, help }) => severity === 'error' && help !== '')).toBe(true);
  expect(agents).toBe(13);
  expect([...cadre!.agents.keys()]).toEqual(['described', 'panelist']);
});

test('a cycle is told as its path', async () => {
  const { diagnostics } = await readCadre(folder);
  const cycle = diagnostics.find(({ code }) => code === 'graph/cycle');
  expect(cycle?.message).toBe('recursion detected in chain b → c → b');
});

test('a folder in which no agent can run fails with every finding in the message', async () => {
  const texts = new Map((await readCadre(folder)).texts);
  texts.set('cadre.yaml', `${texts.get('cadre.yaml') ?? ''}\nnothing: here\n`);
  const thrown = thrownBy(() => cadreFromTexts(folder, texts));
  expect(thrown).toBeInstanceOf(FaultError);
  const { fault } = thrown as FaultError;
  expect(fault.code).toBe('agent/invalid');
  expect(fault.message).toContain('11 errors, 0 warnings in 13 agents');
  expect(fault.message).toContain('08-wrong-type.md:4:11 error value/type');
  expect(fault.details?.['diagnostics']).toHaveLength(11);
});

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (thrown) {
    return thrown;
  }
}
