// The finds of the palette wherever it is opened: runs, agents, and the ops of the run on the screen. It answers from
// loaded data; the server is asked for further runs a moment after the last key.

import { useEffect, useState } from 'preact/hooks';
import type { RunList, RunRow } from '../../../src/server/protocol.ts';
import { cost } from '../../../src/views/amounts.ts';
import type { OpNode } from '../../../src/views/tree/op-tree.ts';
import { getJson } from '../data/api.ts';
import { cadre } from '../data/cadre.ts';
import { useRunPages } from '../data/run-list.ts';
import { lookOf } from '../parts/state.tsx';
import { agentHref, opHref, runHref, startHref } from './addresses.ts';
import type { Command, CommandSource } from './commands.ts';
import { go } from './router.ts';

const ASK_MS = 150;
const MOST = 10;

/** Runs that the server finds by their text, beside those that are loaded. */
export function useRunCommands(typed: string): CommandSource {
  const pages = useRunPages();
  const [asked, setAsked] = useState<readonly RunRow[]>([]);
  useEffect(() => {
    const text = typed.trim();
    if (text === '' || /^[>#@]/.test(text)) return undefined;
    const gone = new AbortController();
    const timer = setTimeout(() => {
      getJson<RunList>(`/api/runs?limit=${MOST}&text=${encodeURIComponent(text)}`, gone.signal)
        .then(({ items }) => setAsked(items))
        .catch(() => undefined); // what is loaded stays
    }, ASK_MS);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [typed]);
  const loaded = pages.rows.value;
  const known = new Set(loaded.map(({ run }) => run));
  const rows = [...loaded, ...asked.filter(({ run }) => !known.has(run))];
  return () => [{ title: 'Runs', order: 1, commands: rows.map(runCommand) }];
}

const short = (run: string): string => run.slice(0, 15);

export function runCommand(row: RunRow): Command {
  const { run, agent, prefix, input, forkedFrom, state, outcome, usd, unpriced, label } = row;
  const about = forkedFrom === undefined ? input.text : `fork of ${short(forkedFrom.run)} at ${forkedFrom.at}`;
  return {
    id: `run ${run}`,
    title: `${short(run)} ${prefix ?? ''}${agent}, ${about}`,
    icon: lookOf(state === 'ended' ? (outcome ?? 'failed') : state).icon,
    hint: cost(usd, unpriced),
    also: [run, label ?? '', input.text, ...row.agents].join('\n'),
    kind: 'run',
    run: () => go(runHref(run)),
  };
}

/** Each agent, and its start. */
export const agentCommands: CommandSource = () => {
  const agents = cadre()?.agents ?? [];
  return [
    {
      title: 'Agents',
      order: 2,
      commands: agents.flatMap(({ name, description = '', tools }): readonly Command[] => [
        {
          id: `agent ${name}`,
          title: name,
          icon: 'person',
          also: [description, ...tools].join('\n'),
          kind: 'agent',
          run: () => go(agentHref(name)),
        },
        { id: `start ${name}`, title: `Start ${name}`, icon: 'play', kind: 'command', run: () => go(startHref(name)) },
      ]),
    },
  ];
};

/** The ops of a run, by path, agent and tool. Nothing is offered before something is typed. */
export function opCommands(run: string, root: OpNode): CommandSource {
  return (asked) => {
    if (asked === '') return [];
    const words = asked.split(/\s+/);
    const commands: Command[] = [];
    const visit = (node: OpNode): void => {
      if (commands.length >= MOST) return;
      const title = `${node.path} ${nameOf(node)}`;
      if (words.every((word) => title.toLowerCase().includes(word)))
        commands.push({
          id: `op ${node.path}`,
          title,
          hint: lookOf(node.state).word,
          kind: 'op',
          run: () => go(opHref(run, node.path)),
        });
      for (const child of node.children) visit(child);
    };
    visit(root);
    return [{ title: 'Ops of this run', order: 3, commands }];
  };
}

function nameOf({ kind, agent, name, turn }: OpNode): string {
  if (kind === 'turn') return `model call of ${agent}, turn ${turn}`;
  return [name ?? kind, agent].filter((part) => part !== undefined && part !== '').join(' of ');
}
