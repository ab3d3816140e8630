// A tool call in a conversation, with its result; for a call that would end the session, whether it was taken.

import { opHref } from '../../app/addresses.ts';
import { Icon } from '../../parts/icon.tsx';
import { TextBlock } from '../../parts/text-block.tsx';
import { type CallWithResult, exitWords, isSaidByLine, mainArgument } from './talk.ts';

export const Call = ({ of, run }: { readonly of: CallWithResult; readonly run: string }) => {
  const { call, result } = of;
  const failed = result?.status === 'error';
  const exit = exitWords(of);
  const given = call.malformed ?? JSON.stringify(call.arguments, null, 2);
  return (
    <div class={failed ? 'talk-call boxed paper bad' : 'talk-call boxed paper'}>
      <p class="talk-call-head gaps-6 line small-text">
        <Icon name={failed ? 'failed' : result === undefined && exit === undefined ? 'running' : 'answered'} />
        <code>{call.name}</code>{' '}
        <span class="cut soft" dir="auto">
          {exit ?? mainArgument(call)}
        </span>
        <span class="grow" />
        {of.op !== undefined && exit === undefined && (
          <a class="op" href={opHref(run, of.op, 'conversation')}>
            {of.op}
          </a>
        )}
      </p>
      {exit !== undefined ? (
        <TextBlock text={given} as="arguments" />
      ) : (
        (call.malformed !== undefined || !isSaidByLine(call)) && (
          <details class="tiny-text">
            <summary class="faint">arguments</summary>
            <TextBlock text={given} as="arguments" />
          </details>
        )
      )}
      {result !== undefined && <TextBlock text={result.text} as="code" tone={failed ? 'bad' : 'usual'} />}
      {of.folded === true && <p class="faint">The model no longer sees this result, only its handle.</p>}
    </div>
  );
};
