// A played model behind the AI SDK's model interface, which several frameworks accept: whole and as a stream.

const USAGE = {
  v2: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
  v3: {
    inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 5, text: 5, reasoning: 0 },
  },
};

export function languageModel(part, specificationVersion) {
  const isV2 = specificationVersion === 'v2';
  const usage = isV2 ? USAGE.v2 : USAGE.v3;
  const play = (prompt, { text, calls }) => {
    const raw = calls === undefined ? 'stop' : 'tool-calls';
    return { text, calls: callParts(calls, prompt), finishReason: isV2 ? raw : { unified: raw, raw } };
  };
  return {
    specificationVersion,
    provider: 'fake',
    modelId: 'fake',
    supportedUrls: {},
    async doGenerate({ prompt }) {
      const { text, calls, finishReason } = play(prompt, await said(part, prompt));
      return { content: calls ?? [{ type: 'text', text }], finishReason, usage, warnings: [] };
    },
    async doStream({ prompt }) {
      const { text, calls, finishReason } = play(prompt, await said(part, prompt));
      const parts = calls ?? [
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: text },
        { type: 'text-end', id: '1' },
      ];
      return {
        stream: streamOf([{ type: 'stream-start', warnings: [] }, ...parts, { type: 'finish', finishReason, usage }]),
      };
    },
  };
}

const said = (part, prompt) => part.reply(lastText(prompt.at(-1)), prompt);

const callParts = (calls, prompt) =>
  calls?.map(({ name, args }, index) => ({
    type: 'tool-call',
    toolCallId: `call-${prompt.length}-${index}`,
    toolName: name,
    input: JSON.stringify(args),
  }));

function lastText({ role, content }) {
  const part = content.at(-1);
  if (role !== 'tool') return part.text;
  const { value } = part.output;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const streamOf = (parts) =>
  new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
