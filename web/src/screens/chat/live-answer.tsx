// The answer of a run that is at work: its text as it is written, who works on it, and what it asks a person.

import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ControlAccepted, ThreadMessage } from '../../../../src/server/protocol.ts';
import { cost, plural } from '../../../../src/views/amounts.ts';
import { postJson, problemOf } from '../../data/api.ts';
import { approvals } from '../../data/approvals.ts';
import { offline } from '../../data/connection.ts';
import type { RunData } from '../../data/run-data.ts';
import { RunAsks } from '../../parts/asks/run-asks.tsx';
import { Button } from '../../parts/controls.tsx';
import { Icon } from '../../parts/icon.tsx';
import { lookOf } from '../../parts/state.tsx';
import { TextBlock } from '../../parts/text-block.tsx';
import { Lasting } from '../../parts/times.tsx';
import { sinceOf } from '../run/side/since.ts';
import { atWork, type Working } from './at-work.ts';
import { By } from './exchange.tsx';

interface Props {
  readonly message: ThreadMessage;
  readonly data: RunData;
  readonly onCancel: () => void;
}

export const LiveAnswer = ({ message, data, onCancel }: Props) => {
  const progress = data.progress.value;
  const isBroken = data.phase.value === 'broken-off';
  const asked = approvals.value.filter(({ run }) => run === message.run);
  const writing = writtenNow(data);
  const { totals } = progress;
  const parts = useSteady(
    useMemo(() => atWork(progress), [progress]),
    STEADY_MS,
  );
  const who = parts.find(({ agent }) => agent !== '')?.agent ?? message.agent;
  return (
    <article class="chat-turn" aria-busy={!isBroken}>
      <By agent={who} asked={message.agent}>
        <span class="grow" />
        {totals.calls > 0 && (
          <span class="num">
            {plural(totals.calls, 'call')}, {cost(totals.usd, totals.unpriced)} so far
          </span>
        )}
      </By>
      {writing !== '' && (
        <div class="chat-answer">
          <TextBlock text={writing} as="markdown" />
        </div>
      )}
      <RunAsks data={data} run={message.run} layout="box" />
      <span class="sr" role="status">
        {isBroken ? 'broken off' : asked.length > 0 ? `${who} asks you` : `${message.agent} is at work`}
      </span>
      {isBroken ? <BrokenOff run={message.run} /> : <AtWork {...{ message, data, parts, onCancel }} />}
    </article>
  );
};

/** The text of the model call that began last and writes. */
function writtenNow(data: RunData): string {
  const { lines } = data.ledger.value;
  const open = [...data.writing.value].filter(([path]) => lines.every((line) => line.path !== path));
  return open.at(-1)?.[1] ?? '';
}

const STEADY_MS = 300;

/** The newest value, changed at most once in so long. */
function useSteady<Value>(value: Value, ms: number): Value {
  const [shown, setShown] = useState(value);
  const last = useRef(0);
  useEffect(() => {
    const left = last.current + ms - performance.now();
    const show = (): void => {
      last.current = performance.now();
      setShown(value);
    };
    if (left <= 0) {
      show();
      return undefined;
    }
    const timer = setTimeout(show, left);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return shown;
}

const AtWork = ({ message, data, parts, onCancel }: Props & { readonly parts: readonly Working[] }) => {
  const [why, setWhy] = useState<string | undefined>(undefined);
  const finish = (): void => {
    postJson<ControlAccepted>(`/api/runs/${encodeURIComponent(message.run)}/stop`)
      .then(() => setWhy('Asked for the answer.'))
      .catch((thrown: unknown) => setWhy(problemOf(thrown).message));
  };
  const isElsewhere = data.driver.value === 'other';
  return (
    <div class="chat-at-work line boxed small-text soft breaks paper wraps">
      {data.queued.value && <span>{data.queuedWhy.value ?? 'waits for a worker'}</span>}
      {parts.map((part) => (
        <Part key={`${part.agent} ${part.words}`} part={part}>
          {part.session !== undefined && (
            <>
              , <Lasting from={sinceOf(data.extent.value, part.session)} to={undefined} />
            </>
          )}
        </Part>
      ))}
      {isElsewhere && <span class="faint">started elsewhere</span>}
      {why !== undefined && <span role="status">{why}</span>}
      <span class="chat-stops line gaps">
        <Button size="small" off={offline()} onPress={finish}>
          Finish now
        </Button>
        <Button size="small" kind="stop" icon="cancelled" off={offline()} onPress={onCancel}>
          Cancel
        </Button>
      </span>
    </div>
  );
};

const Part = ({ part, children }: { readonly part: Working; readonly children: ComponentChildren }) => {
  const { family, icon } = lookOf(part.state);
  return (
    <span class={`line gaps-6 s-${family}`}>
      <Icon name={icon} spin={icon === 'running'} />
      <span>
        {part.agent !== '' && <b>{part.agent} </b>}
        {part.words}
        {children}
      </span>
    </span>
  );
};

const BrokenOff = ({ run }: { readonly run: string }) => {
  const [why, setWhy] = useState<string | undefined>(undefined);
  const resume = (): void => {
    postJson<unknown>(`/api/runs/${encodeURIComponent(run)}/resume`).catch((thrown: unknown) =>
      setWhy(problemOf(thrown).message),
    );
  };
  return (
    <div class="chat-at-work line boxed small-text soft breaks paper wraps">
      <span class="line gaps-6 s-doubt">
        <Icon name="broken-off" />
        <span>Broken off: its process ended. What is finished is not made again.</span>
      </span>
      {why !== undefined && (
        <span class="err" role="alert">
          {why}
        </span>
      )}
      <span class="grow" />
      <Button size="small" icon="play" off={offline()} onPress={resume}>
        Resume
      </Button>
    </div>
  );
};
