// The files of a request, as a model gets them: those that it sees. Of any other file the line in the text is left.

import type { ModelRequest } from '../kernel/effect.ts';
import { type FileKind, type FileRef, fileTokens, kindOfFile } from '../kernel/file-ref.ts';
import { filesWithin, type Message } from '../kernel/message.ts';
import type { ModelSight } from '../kernel/model-sight.ts';
import type { ProviderRequest, ResolvedModel } from './provider.ts';

/** The kinds of the files that stand in these messages. */
const kindsIn = (messages: readonly Message[]): ReadonlySet<FileKind> =>
  new Set(messages.flatMap((message) => filesWithin(message).map(kindOfFile)));

/** Models that are not asked, because others of the list see more of the files that are there. */
export function blindModels(
  { messages, models }: Pick<ModelRequest, 'messages' | 'models'>,
  sightOf: (model: string) => ModelSight | undefined,
): readonly string[] {
  const kinds = kindsIn(messages);
  const seen = new Map(
    models.map((model) => [model, sightOf(model)?.sees.filter((kind) => kinds.has(kind)).length ?? 0]),
  );
  const most = Math.max(0, ...seen.values());
  return models.filter((model) => (seen.get(model) ?? 0) < most);
}

/** The messages for a model that sees no more than this. The same list if it sees everything. */
export function seenMessages(messages: readonly Message[], sight: ModelSight | undefined): readonly Message[] {
  const sees = (file: FileRef): boolean => sight?.sees.includes(kindOfFile(file)) === true;
  if (messages.every((message) => filesWithin(message).every(sees))) return messages;
  return messages.map((message) => withFiles(message, filesWithin(message).filter(sees)));
}

function withFiles(message: Message, files: readonly FileRef[]): Message {
  if (filesWithin(message).length === files.length) return message;
  if (message.role === 'user') {
    const { files: _, ...rest } = message;
    return files.length === 0 ? rest : { ...rest, files };
  }
  if (message.role !== 'tool' || message.result.shown === undefined) return message;
  const { shown, ...result } = message.result;
  return { ...message, result: files.length === 0 ? result : { ...result, shown: { ...shown, files } } };
}

/** The digests of the files of a request, each once. */
export const digestsIn = ({ messages }: Pick<ProviderRequest, 'messages'>): readonly string[] => [
  ...new Set(messages.flatMap((message) => filesWithin(message).map(({ digest }) => digest))),
];

/** The input tokens that the files of messages cost at a model. */
export const tokensOfFiles = (messages: readonly Message[], { sight }: Pick<ResolvedModel, 'sight'>): number =>
  messages.reduce(
    (sum, message) => filesWithin(message).reduce((own, file) => own + fileTokens(file, sight?.rule), sum),
    0,
  );
