// The reason why a run that was left to the workers of a store is not at work, in words.

import type { RunSummary, WaitingRun, WorkerState } from '../journal/store.ts';

/** So many workers are named one by one. */
const NAMED = 3;

export function queuedWhy(
  run: Pick<RunSummary, 'run' | 'agent'>,
  { needs, failed }: WaitingRun,
  workers: readonly WorkerState[],
): string {
  if (workers.length === 0) return 'no worker runs on this store';
  if (failed !== undefined) return `it could not be given to a worker: ${failed}`;
  const found = workers.map((worker) => ({ worker, obstacle: obstacleOf(run, needs, worker) }));
  const able = found.filter(({ obstacle }) => obstacle === undefined).map(({ worker }) => worker);
  if (able.length === 0) return obstacleWords(found as readonly WorkerObstacle[]);
  return able.every(isFull) ? fullWords(able, workers.length) : 'a worker takes it soon';
}

function obstacleOf(
  { run, agent }: Pick<RunSummary, 'run' | 'agent'>,
  needs: WaitingRun['needs'],
  worker: WorkerState,
) {
  const { labels, agents, pinned, refused = [] } = worker;
  if (needs.label !== undefined && !labels.includes(needs.label)) return { kind: 'label', label: needs.label };
  if (agents !== undefined && !agents.includes(agent)) return { kind: 'agents', agents };
  if (pinned !== undefined && pinned.config !== needs.config) return { kind: 'refused', why: 'cadre.yaml differs' };
  const given = refused.find((one) => one.run === run);
  return given && { kind: 'refused', why: given.why };
}

interface WorkerObstacle {
  readonly worker: WorkerState;
  readonly obstacle:
    | { readonly kind: 'label'; readonly label: string }
    | { readonly kind: 'agents'; readonly agents: readonly string[] }
    | { readonly kind: 'refused'; readonly why: string };
}

/** If all workers are kept by the same, it is said once. */
function obstacleWords(kept: readonly WorkerObstacle[]): string {
  const [first] = kept as readonly [WorkerObstacle];
  const isSame = kept.every(({ obstacle }) => JSON.stringify(obstacle) === JSON.stringify(first.obstacle));
  if (isSame && first.obstacle.kind === 'label')
    return kept.length === 1
      ? `1 worker, and it has no label ${first.obstacle.label}`
      : `${kept.length} workers, none with label ${first.obstacle.label}`;
  if (isSame && first.obstacle.kind === 'agents')
    return `workers take only runs of ${first.obstacle.agents.join(', ')}`;
  const rest = kept.length > NAMED ? [`and ${kept.length - NAMED} more`] : [];
  return [...kept.slice(0, NAMED).map(keptWords), ...rest].join('; ');
}

function keptWords({ worker: { name }, obstacle }: WorkerObstacle): string {
  switch (obstacle.kind) {
    case 'label':
      return `worker ${name} has no label ${obstacle.label}`;
    case 'agents':
      return `worker ${name} takes only runs of ${obstacle.agents.join(', ')}`;
    case 'refused':
      return `refused by worker ${name}: ${obstacle.why}`;
  }
}

const isFull = ({ most, runs }: WorkerState): boolean => most !== undefined && runs >= most;

function fullWords(able: readonly WorkerState[], all: number): string {
  const [first] = able as readonly [WorkerState];
  const isSame = able.every(({ most }) => most === first.most);
  const sum = (of: (worker: WorkerState) => number): number => able.reduce((total, worker) => total + of(worker), 0);
  const share = isSame
    ? `${first.most} of ${first.most}`
    : `${sum(({ runs }) => runs)} of ${sum(({ most = 0 }) => most)} in all`;
  if (able.length === 1) return `worker ${first.name} is full (${share})`;
  const who = able.length === all ? `each of ${all} workers` : `each of the ${able.length} workers that may take it`;
  return `${who} is full (${share})`;
}
