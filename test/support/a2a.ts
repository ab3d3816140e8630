// The official client of A2A against a served folder.

import { type Message, Role } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client';
import type { Served } from './served.ts';

/** `name` tells clients of one token apart. */
export function a2aClient(at: Served, agent: string, { token = at.token, name = 'test' } = {}): Promise<Client> {
  const fetchImpl: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${token}`);
    headers.set('user-agent', name);
    return fetch(input, { ...init, headers });
  };
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl })],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
    }),
  );
  return factory.createFromUrl(`${at.url}/a2a/${agent}/`);
}

let count = 0;

export interface Said extends Partial<Pick<Message, 'taskId' | 'contextId' | 'messageId' | 'metadata'>> {
  /** The client does not wait for the end of the task, or for its next question. */
  readonly returnImmediately?: boolean;
}

export const a2aMessage = (text: string, { returnImmediately, ...more }: Said = {}) => ({
  tenant: '',
  message: {
    messageId: `said-${count++}`,
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [
      { content: { $case: 'text' as const, value: text }, metadata: undefined, filename: '', mediaType: 'text/plain' },
    ],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...more,
  },
  configuration:
    returnImmediately === undefined
      ? undefined
      : { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately },
  metadata: undefined,
});
