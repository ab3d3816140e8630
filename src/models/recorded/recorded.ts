// Records the answers of another provider to a file, once, and plays them back afterwards.
// RECORDED-1. The file's existence decides: if it is absent when first used, everything is recorded; if present, only
//             played.
// RECORDED-2. Playing never asks the other provider, and needs neither its key nor the network.
// RECORDED-3. A request that was not recorded gets a fault that names the first difference, never a guess. With `add`
//             it is asked of the other provider, and its answer is added to the file.

import { type Fault, fault, faultOf } from '../../kernel/fault.ts';
import type { ModelEvent, ModelProvider, ProviderRequest } from '../provider.ts';
import { fewPieces } from '../words.ts';
import { requestDifference } from './difference.ts';
import { type Print, printOf } from './print.ts';
import { openTape, type Take, type Tape } from './tape.ts';

export function recordedProvider({
  id,
  file,
  match = 'exact',
  add,
  inner,
}: {
  readonly id: string;
  readonly file: string;
  /** `place`: an answer to the same turn of the same session will do, whatever was asked there. */
  readonly match?: 'exact' | 'place' | undefined;
  /** A request that the file does not hold is asked, and added to it. */
  readonly add?: boolean | undefined;
  /** Asked for only while recording. */
  inner(): Promise<ModelProvider>;
}): ModelProvider {
  let opening: Promise<{ readonly tape: Tape; readonly find: TakeFinder }> | undefined;
  const opened = () => {
    opening ??= openTape(file).then((tape) => ({ tape, find: (match === 'place' ? byPlace : finder)(tape.takes) }));
    opening.catch(() => {
      opening = undefined; // the caller sees the failure; the file may be fixed by the next call
    });
    return opening;
  };

  return {
    id,
    async *stream(request, options) {
      try {
        const { tape, find } = await opened();
        const print = printOf(request);
        if (tape.mode === 'record') {
          yield* record((await inner()).stream(request, options), (end) => tape.add(request, print, end));
          return;
        }
        const take = find(request, print) ?? find(request, printOf(uncapped(request)));
        if (take !== undefined) yield* play(take);
        else if (add === true)
          yield* record((await inner()).stream(request, options), (end) => tape.add(request, print, end));
        else yield { type: 'reply-fault', fault: drift(tape, request, print) };
      } catch (error) {
        yield { type: 'reply-fault', fault: faultOf(error) };
      }
    },
  };
}

async function* record(
  events: AsyncIterable<ModelEvent>,
  add: (reply: Take['reply']) => Promise<void>,
): AsyncGenerator<ModelEvent> {
  for await (const event of events) {
    const lost = event.type === 'reply-end' ? await failureOf(() => add(event)) : undefined;
    yield lost === undefined ? event : { type: 'reply-fault', fault: lost };
  }
}

async function failureOf(adding: () => Promise<void>): Promise<Fault | undefined> {
  try {
    await adding();
    return undefined;
  } catch (error) {
    return fault('model/recording', `the answer could not be recorded: ${faultOf(error).message}`);
  }
}

function* play({ reply }: Take): Generator<ModelEvent> {
  if (reply.type === 'reply-fault') return yield reply;
  for (const text of fewPieces(reply.message.reasoning ?? '')) yield { type: 'reasoning-delta', text };
  for (const text of fewPieces(reply.message.text)) yield { type: 'text-delta', text };
  yield reply;
}

/** The request as its run recorded it: a budget caps the reply afterwards, and that is no other question. */
function uncapped(request: ProviderRequest): ProviderRequest {
  const { maxOutputTokens: _, ...settings } = request.settings;
  return { ...request, settings };
}

type TakeFinder = (request: ProviderRequest, print: Print) => Take | undefined;

/** Found by fingerprint. Of several, the one from the same place; of those the last, which the run went on with. */
function finder(takes: readonly Take[]): TakeFinder {
  const byPrint = new Map<string, Take[]>();
  for (const take of takes) {
    const same = byPrint.get(take.print.whole);
    if (same === undefined) byPrint.set(take.print.whole, [take]);
    else same.push(take);
  }
  return ({ session }, print) => {
    const same = byPrint.get(print.whole);
    return same?.findLast((take) => take.session === session) ?? same?.at(-1);
  };
}

const PLACE = ['agent', 'session', 'turn', 'compact'] as const;

/** The last answer that was recorded at the same place. */
function byPlace(takes: readonly Take[]): TakeFinder {
  const placeOf = ({ agent, session, turn, compact }: Pick<ProviderRequest | Take, (typeof PLACE)[number]>): string =>
    `${agent} ${session} ${turn}${compact === undefined ? '' : ' compact'}`;
  const places = new Map(takes.map((take) => [placeOf(take), take]));
  return (request) => places.get(placeOf(request));
}

function drift(tape: Tape, request: ProviderRequest, print: Print): Fault {
  return fault(
    'model/recording',
    `${tape.file} does not hold this call of "${request.agent}" (turn ${request.turn}). First difference: ` +
      `${requestDifference(tape, request, print)}. Delete the file to record again.`,
    { agent: request.agent, turn: request.turn },
  );
}
