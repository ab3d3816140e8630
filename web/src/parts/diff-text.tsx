// A unified diff, line by line: what goes, what comes, where. Text alone, never markup.

const MOST = 3000;

const kindOf = (line: string): string => {
  if (line.startsWith('+++') || line.startsWith('---') || line.startsWith('diff ')) return 'strong';
  if (line.startsWith('@@')) return 'place faint';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : 'same';
};

export const DiffText = ({ text, label }: { readonly text: string; readonly label: string }) => {
  const lines = text.replace(/\n$/, '').split('\n');
  return (
    <pre class="diff-text paper" role="figure" aria-label={label} tabIndex={0}>
      {lines.slice(0, MOST).map((line, index) => (
        <span key={index} class={`l pre breaks ${kindOf(line)}`}>
          {line === '' ? ' ' : line}
        </span>
      ))}
      {lines.length > MOST && <span class="l place faint">… {lines.length - MOST} more lines</span>}
    </pre>
  );
};
