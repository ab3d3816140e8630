import { expect, test } from 'vitest';
import { NOTHING_SECRET } from '../kernel/redacted.ts';
import { functionSource, tool } from './functions.ts';
import type { Tool, ToolSource } from './tool.ts';
import { isMeantBy, openToolbox } from './toolbox.ts';

const make = (name: string): Tool => tool({ name, description: name, parameters: true, run: () => `ran ${name}` });

/** Sources by key, and a record of which were opened and closed. */
function shelf(content: Readonly<Record<string, readonly string[]>>) {
  const log: string[] = [];
  const makers = new Map(
    Object.entries(content).map(([key, names]) => [
      key,
      (): ToolSource => {
        log.push(`made ${key}`);
        return {
          ...functionSource(key, names.map(make)),
          close: async () => {
            log.push(`closed ${key}`);
          },
        };
      },
    ]),
  );
  return { makers, log };
}

const names = (boxed: readonly { tool: Tool }[]) => boxed.map((one) => one.tool.spec.name);

test('a source gives all its tools, an address one, a function itself, in the order of the list', async () => {
  const { makers } = shelf({
    files: ['list_files', 'read_file'],
    'mcp:docs': ['search', 'fetch'],
    'rest:weather': ['weather'],
  });
  const box = openToolbox(makers, [make('now'), make('unused')]);
  const boxed = await box.resolve(['now', 'mcp:docs/fetch', 'files', 'rest:weather']);
  expect(boxed.map((one) => one.address)).toEqual([
    'now',
    'mcp:docs/fetch',
    'files/list_files',
    'files/read_file',
    'rest:weather',
  ]);
  expect(names(boxed)).toEqual(['now', 'fetch', 'list_files', 'read_file', 'weather']);
});

test('a source is made when first named, once for all agents, and closed at the end', async () => {
  const { makers, log } = shelf({ files: ['read_file'], 'mcp:docs': ['search'] });
  const box = openToolbox(makers);
  expect(log).toEqual([]);
  await Promise.all([box.resolve(['files']), box.resolve(['files/read_file'])]);
  expect(log).toEqual(['made files']);
  await box.close();
  expect(log).toEqual(['made files', 'closed files']);
});

test('a tool named twice is there once', async () => {
  const box = openToolbox(shelf({ 'mcp:docs': ['search'] }).makers);
  expect(names(await box.resolve(['mcp:docs', 'mcp:docs/search']))).toEqual(['search']);
});

test('tools of two servers with one name are called after their servers, and still work', async () => {
  const box = openToolbox(shelf({ 'mcp:docs': ['search', 'fetch'], 'mcp:web': ['search'] }).makers);
  const boxed = await box.resolve(['mcp:docs', 'mcp:web']);
  expect(names(boxed)).toEqual(['docs__search', 'fetch', 'web__search']);
  const context = { signal: new AbortController().signal, callKey: '', progress: () => {}, redactor: NOTHING_SECRET };
  expect(await boxed[2]?.tool.execute({}, context)).toBe('ran search');
});

test('a server gives way to a function and to the tools of the session', async () => {
  const box = openToolbox(shelf({ 'mcp:docs': ['search', 'final_report'] }).makers, [make('search')]);
  expect(names(await box.resolve(['search', 'mcp:docs'], { reserved: ['final_report'] }))).toEqual([
    'search',
    'docs__search',
    'docs__final_report',
  ]);
});

test('a collision that no server can give way in is a tool/source fault naming both', async () => {
  const box = openToolbox(shelf({ files: ['read_file'] }).makers, [make('read_file'), make('final_report')]);
  await expect(box.resolve(['files', 'read_file'])).rejects.toMatchObject({
    fault: { code: 'tool/source', message: expect.stringContaining('files/read_file and read_file') as string },
  });
  await expect(box.resolve(['final_report'], { reserved: ['final_report'] })).rejects.toThrow('Cadre itself offers');
});

test('an unknown name is a tool/unknown fault with what is near and known', async () => {
  const box = openToolbox(shelf({ files: ['read_file'], 'mcp:docs': ['search'] }).makers);
  await expect(box.resolve(['fils'])).rejects.toMatchObject({
    fault: {
      code: 'tool/unknown',
      message: 'There is no tool "fils". Did you mean "files"? Known tools: files, mcp:docs.',
    },
  });
  await expect(box.resolve(['mcp:docs/serch'])).rejects.toThrow('Did you mean "mcp:docs/search"?');
  await expect(box.resolve(['mcp:nothing/x'])).rejects.toThrow('There is no tool "mcp:nothing/x"');
  await expect(box.resolve(['__proto__'])).rejects.toThrow('There is no tool "__proto__"');
});

test('a single tool that its source does not offer can be left out, and whoever asks is told', async () => {
  const box = openToolbox(shelf({ 'mcp:docs': ['search'] }).makers);
  const missing: string[] = [];
  const leaveOut = ({ message }: { readonly message: string }): void => void missing.push(message);
  expect(names(await box.resolve(['mcp:docs/serch', 'mcp:docs/search'], { leaveOut }))).toEqual(['search']);
  expect(missing).toEqual([
    'There is no tool "mcp:docs/serch". Did you mean "mcp:docs/search"? Known tools: mcp:docs/search.',
  ]);
});

test('the revision of a list of names follows the sources that it names', async () => {
  const docs = { ...functionSource('mcp:docs', [make('search')]), revision: 0 };
  const box = openToolbox(new Map([['mcp:docs', () => docs]]), [make('now')]);
  await box.resolve(['mcp:docs/search', 'now']);
  const before = box.revision(['mcp:docs/search', 'now']);
  docs.revision++;
  expect(box.revision(['mcp:docs/search', 'now'])).not.toBe(before);
  expect(box.revision(['now'])).toBe(box.revision([]));
});

test('a tool whose server calls it what models cannot is found by either name', async () => {
  const box = openToolbox(shelf({ 'mcp:docs': ['web_search'] }).makers);
  const [boxed] = await box.resolve(['mcp:docs/web.search']);
  expect(boxed?.address).toBe('mcp:docs/web_search');
  for (const entry of ['mcp:docs', 'mcp:docs/web.search', 'mcp:docs/web_search', 'web_search']) {
    expect(isMeantBy(entry, boxed!), entry).toBe(true);
  }
  for (const entry of ['mcp:doc', 'mcp:docs/web', 'files']) expect(isMeantBy(entry, boxed!), entry).toBe(false);
});
