// An agent of the durable comparison behind the AI SDK's model interface.

import { languageModel } from '../language-model.mjs';

const resultsIn = (prompt) =>
  prompt.reduce((sum, { role, content }) => sum + (role === 'tool' ? content.length : 0), 0);

export const modelOf = ({ reply }, agent, version) =>
  languageModel({ reply: (last, prompt) => reply(agent, { last, results: resultsIn(prompt) }) }, version);
