// The models that each agent would use, and their readiness. A look asks servers on this machine, so the answer is kept
// for a moment, and until files change.

import { modelUses } from '../engine/inspect/model-uses.ts';
import type { ModelInfo } from './protocol.ts';
import type { ServedCadres } from './served-cadres.ts';

const KEPT_MS = 15_000;

export function cachedModels(cadres: ServedCadres, now: () => number): () => Promise<readonly ModelInfo[]> {
  let kept: { readonly at: number; readonly uses: Promise<readonly ModelInfo[]> } | undefined;
  cadres.watch(() => {
    kept = undefined;
  });
  const look = async (): Promise<readonly ModelInfo[]> => {
    const hosted = cadres
      .all()
      .flatMap(({ prefix, host }) => (host === undefined ? [] : [{ prefix, cadre: host.definition }]));
    return (await modelUses(hosted)).uses;
  };
  return () => {
    if (kept !== undefined && now() - kept.at < KEPT_MS) return kept.uses;
    const uses = look();
    kept = { at: now(), uses };
    uses.catch(() => {
      kept = undefined; // the caller gets the failure, and the next one tries again
    });
    return uses;
  };
}
