// In the place of a question: there is no agent that could be asked.

import type { CadreInfo } from '../../../../src/server/protocol.ts';
import { Command } from '../controls.tsx';
import './ask.css';

interface Props {
  readonly cadre: CadreInfo;
  /** It stands for the whole screen, and has its title. */
  readonly isFirstVisit: boolean;
}

/** The folder is empty, or none of its agents can be read. */
export const NoAgent = ({ cadre, isFirstVisit }: Props) => {
  const wrong = cadre.diagnostics.filter(({ severity, code }) => severity === 'error' && code !== 'folder/empty');
  if (wrong.length === 0)
    return (
      <div class="ask-agent stack">
        <Title first={isFirstVisit}>This folder has no agents yet</Title>
        <p>An agent is a Markdown file. This makes the first ones:</p>
        <Command line="cadre init" />
        {cadre.starter !== undefined && (
          <p class="faint">
            They will use <code>{cadre.starter.model}</code>: <bdi>{cadre.starter.why}</bdi>.
          </p>
        )}
      </div>
    );
  return (
    <div class="ask-agent stack">
      <Title first={isFirstVisit}>No agent can be asked yet</Title>
      {wrong.slice(0, 5).map(({ file, line, message }) => (
        <p key={`${file} ${line} ${message}`}>
          <a class="link" href="/agents">
            Fix {file}:{line} first
          </a>{' '}
          <span dir="auto">{message}</span>
        </p>
      ))}
    </div>
  );
};

/** The title is that of the screen, or stands below that of a dialog. */
export const Title = ({ first, children }: { readonly first: boolean; readonly children: string }) =>
  first ? <h1 class="big-title breaks">{children}</h1> : <h2 class="big-title breaks">{children}</h2>;
