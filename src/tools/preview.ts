// The preview of a call, for the person who is asked about it. The tool describes the call; here its text loses its
// secrets and is cut to a size that a record can hold.
// PREVIEW-1. Never throws: a failure is a text for the model, and nobody is asked about a call that cannot work.
// PREVIEW-2. It is redacted first and cut after that.

import { countedNoun } from '../base/text/words.ts';
import type { Preview, PreviewAnswer } from '../kernel/approval.ts';
import { faultOf } from '../kernel/fault.ts';
import type { ToolCall } from '../kernel/message.ts';
import type { Redactor } from '../kernel/redacted.ts';
import { cutAfter, cutBefore, redactedBytes } from './cut.ts';
import type { PreviewContext, Tool } from './tool.ts';

const MOST_BYTES = 48 * 1024;
const HEAD_SHARE = 3 / 4;

export async function previewCall(tool: Tool, call: ToolCall, context: PreviewContext): Promise<PreviewAnswer> {
  try {
    const preview = await tool.preview?.(call.arguments, context);
    if (preview === undefined) return refused(`${tool.spec.name} cannot say what it would do.`);
    return { kind: 'shown', preview: recordablePreview(preview, context.redactor) };
  } catch (thrown) {
    return refused(context.redactor.redact(faultOf(thrown).message)); // PREVIEW-1
  }
}

const refused = (text: string): PreviewAnswer => ({ kind: 'refused', text });

/** PREVIEW-2. */
export function recordablePreview(preview: Preview, redactor: Redactor): Preview {
  switch (preview.kind) {
    case 'diff':
      return { ...preview, text: shortened(preview.text, redactor) };
    case 'command':
      return { ...preview, command: shortened(preview.command, redactor) };
    case 'request':
      return preview; // its tool caps addresses
  }
}

function shortened(text: string, redactor: Redactor): string {
  const whole = redactedBytes(redactor.redact(text));
  if (whole.length <= MOST_BYTES) return whole.toString();
  const head = cutBefore(whole, Math.floor(MOST_BYTES * HEAD_SHARE));
  const tail = cutAfter(whole, whole.length - (MOST_BYTES - head));
  const left = countedNoun(tail - head, 'byte');
  return `${whole.toString('utf8', 0, head)}\n… ${left} of ${whole.length} are not shown here …\n${whole.toString('utf8', tail)}`;
}
