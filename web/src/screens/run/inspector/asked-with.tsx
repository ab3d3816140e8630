// The arguments of a call, as values; as they were written where they are no JSON.

import type { ToolCall } from '../../../../../src/kernel/message.ts';
import { CallArguments } from '../../../parts/json-text.tsx';
import { TextBlock } from '../../../parts/text-block.tsx';

export const AskedWith = ({ call }: { readonly call: ToolCall }) =>
  call.malformed === undefined ? (
    <CallArguments given={call.arguments} />
  ) : (
    <TextBlock text={call.malformed} as="arguments" tone="bad" />
  );
