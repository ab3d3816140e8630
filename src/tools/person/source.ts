// The tool source `person`: one tool that asks a person. The session asks by an op of its own, so the tool is never called.

import { fail } from '../../kernel/fault.ts';
import { ASK_PERSON } from '../../kernel/person.ts';
import type { ToolSource } from '../tool.ts';

export const personSource = (): ToolSource => ({
  name: 'person',
  async tools() {
    return [{ spec: ASK_PERSON, repeat: 'safe', execute: () => fail('internal', 'a session asks a person itself') }];
  },
  async close() {},
});
