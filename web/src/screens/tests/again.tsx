// Running tests again on the server, and cancelling those that it runs. The bound is asked for first, and nothing starts
// without a yes.

import { useState } from 'preact/hooks';
import type { StartedTests, StartTests, TestBound, TestInfo } from '../../../../src/server/protocol.ts';
import { plural, usd } from '../../../../src/views/amounts.ts';
import { testHref } from '../../app/addresses.ts';
import { go } from '../../app/router.ts';
import { postJson } from '../../data/api.ts';
import { cadre } from '../../data/cadre.ts';
import { offline } from '../../data/connection.ts';
import { lacks } from '../../data/you.ts';
import { Button } from '../../parts/controls.tsx';
import { AskedDialog, useAction } from '../run/actions/asked.tsx';

export const RunAgain = ({ result }: { readonly result: TestInfo }) => {
  const [bound, setBound] = useState<TestBound | undefined>(undefined);
  const request = requestOf(result);
  const { doing, start } = useAction(async () => {
    setBound(await postJson<TestBound>('/api/tests', { ...request, bound: true } satisfies StartTests));
  });
  return (
    <>
      <Button
        icon="play"
        off={offline() ?? lacks('run') ?? whyNot(result, request) ?? (doing.state === 'sent' ? 'Asked.' : undefined)}
        onPress={start}
      >
        Run again
      </Button>
      {doing.state === 'refused' && (
        <span class="err" role="alert">
          {doing.why}
        </span>
      )}
      {bound !== undefined && (
        <StartDialog command={result.command} request={request} bound={bound} onClose={() => setBound(undefined)} />
      )}
    </>
  );
};

interface StartProps {
  readonly command: string;
  readonly request: StartTests;
  readonly bound: TestBound;
  readonly onClose: () => void;
}

const StartDialog = ({ command, request, bound, onClose }: StartProps) => (
  <AskedDialog
    title="Run the tests again"
    proposes="Start"
    icon="play"
    command={command}
    work={async () => {
      const { id } = await postJson<StartedTests>('/api/tests', request);
      go(testHref(id));
      onClose();
    }}
    onClose={onClose}
  >
    <p>
      {plural(bound.cases, 'case')}, {plural(bound.candidates.length, 'candidate')}, {plural(bound.tries, 'run')}.
    </p>
    <p>{mostWords(bound)}</p>
  </AskedDialog>
);

/** Tests that a terminal runs end there: then the server says so. */
export const CancelTests = ({ result }: { readonly result: TestInfo }) => {
  const [isAsked, setAsked] = useState(false);
  const { id, planned, cases } = result;
  return (
    <>
      <Button kind="stop" icon="cancelled" off={offline() ?? lacks('run')} onPress={() => setAsked(true)}>
        Cancel
      </Button>
      {isAsked && (
        <AskedDialog
          title="Cancel the tests"
          proposes="Cancel them"
          icon="cancelled"
          keys="mod+Backspace"
          work={async () => {
            await postJson<void>(`/api/tests/${encodeURIComponent(id)}/cancel`);
            setAsked(false);
          }}
          onClose={() => setAsked(false)}
        >
          <p>
            Cases at work are cancelled, and their model calls in flight may still be charged. {planned - cases.length}{' '}
            of {planned} have no result yet. What was done is kept.
          </p>
        </AskedDialog>
      )}
    </>
  );
};

function mostWords({ calls, usd: most, why }: TestBound): string {
  if (calls === 0) return 'No model is called: a script or a recording answers.';
  const called = calls === null ? 'No limit of model calls is known' : `At most ${calls} model calls`;
  const cost = most === null ? 'no limit of their cost is known' : `never more than ${usd(most)}`;
  return `${called}, ${cost}${why === undefined ? '' : `: ${why}`}.`;
}

function whyNot({ command, cases }: TestInfo, { places }: StartTests): string | undefined {
  if (/ --only /.test(command)) return 'Its command names some of the cases: copy it.';
  return cases.length === 0 || places.length === 0 ? 'Its files do not lie in the folder that is served.' : undefined;
}

/** The request for the same files, by their paths from the folder that is served. */
function requestOf({ from, cases, models, candidates = [], times }: TestInfo): StartTests {
  const [first] = cadre()?.cadres ?? [];
  const root =
    first === undefined ? undefined : absolute(first.folder.slice(0, first.folder.length - first.prefix.length), '');
  const files = [...new Set(cases.map(({ file }) => absolute(from, file)))];
  const isServed = root !== undefined && files.every((file) => file.startsWith(`${root}/`));
  return {
    places: isServed ? files.map((file) => file.slice(root.length + 1)) : [],
    ...(models.length > 0 && { models }),
    ...(candidates.some(({ kind }) => kind === 'alone') && { alone: true }),
    ...(times !== undefined && { times }),
  };
}

/** A file is shown from the folder where the command was given. */
function absolute(from: string, file: string): string {
  const parts: string[] = [];
  for (const part of `${from}/${file}`.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return `/${parts.join('/')}`;
}
