// Folders of agents for tests of the page, small enough to be read at a glance.

export const CONFIG = [
  'providers: {demo: {kind: scripted, script: ./demo.script.yaml}}',
  'models: {fast: {use: demo/any, price: {input: 1, output: 1}}}',
  'defaults: {models: [fast]}',
].join('\n');

export type Files = Readonly<Record<string, string>>;

/** Agents by file, and what their models say. */
export const scripted = (agents: Files, script: Readonly<Record<string, unknown>>, more: Files = {}): Files => ({
  'cadre.yaml': CONFIG,
  ...Object.fromEntries(Object.entries(agents).map(([name, text]) => [`${name}.md`, text])),
  'demo.script.yaml': JSON.stringify(script),
  ...more,
});

export const agent = (keys: string, prompt = 'Go.'): string => `---\ndescription: Does it.\n${keys}---\n${prompt}\n`;

/** A clerk that may only read a file after a person said yes. */
export const asking = (): Files =>
  scripted(
    { clerk: agent('tools: [files]\napprove: [files]\n') },
    { agents: { clerk: [{ call: { read_file: { path: 'cadre.yaml' } } }, { answer: 'I have **read** it.' }] } },
  );

/** A stage that fails three times, and answers from the fourth attempt on. */
export const failing = (): Files =>
  scripted(
    { desk: agent('next: pay\n'), pay: agent('') },
    {
      agents: {
        desk: [{ answer: 'Pay 17.' }],
        pay: [
          { fault: [503, 503, 503].map((status) => ({ status, message: 'upstream connect error' })) },
          { answer: 'Paid.' },
        ],
      },
    },
  );
