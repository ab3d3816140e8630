// The routes as an OpenAPI 3.1 document, from the same records that check the requests.

import { FAULTS, type FaultCode } from '../../kernel/fault.ts';
import type { JsonSchema } from '../../kernel/schema.ts';
import type { Address, RouteAnswer } from '../address.ts';
import { componentSchemas, isRequired, messageSchema, type RequestFields, referenceTo } from '../messages/schema.ts';
import { ProblemDocument } from '../messages/service.ts';
import { mayBeLeftOut } from './checked.ts';

/** The subjects of the routes, in the order of the reference page. */
export const TAGS: Readonly<Record<string, string>> = {
  cadre: 'The agents that are served.',
  runs: 'Starting, listing and reading runs.',
  events: 'The events of runs, as they happen.',
  control: 'Messages to runs.',
  approvals: 'Calls and questions that wait for a person.',
  history: 'Replay, fork, undo and other uses of the record of a run.',
  threads: 'Conversations.',
  tests: 'Tests, and the results of `cadre test`.',
  service: 'For proxies, service managers and client generators.',
  heads: 'The protocols of other tools, on the same agents. Their parameters have a page of their own.',
};

/** Faults that any request may get. */
const COMMON: readonly FaultCode[] = [
  'request/invalid',
  'request/unauthorized',
  'request/forbidden',
  'request/rate',
  'internal',
  'store/unreachable',
];

export function openApiDocument(routes: readonly Address[], version: string): unknown {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) (paths[pathTemplate(route.path)] ??= {})[route.method.toLowerCase()] = operation(route);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Cadre',
      version,
      summary: 'A folder of Markdown files is a team of agents. This is its server.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    security: [{ token: [] }, { key: [] }],
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token that `cadre serve` printed, or one of `server.tokens`.',
        },
        key: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The same token.' },
      },
      schemas: componentSchemas(),
    },
  };
}

/** `/api/runs/{run}` */
export const pathTemplate = (path: string): string => path.replaceAll(/:(\w+)(\{[^}]*\})?/g, '{$1}');

/** Every fault that a route may answer with, by status. */
export function faultsOf({
  permission,
  body,
  params = {},
  faults = [],
}: Address): ReadonlyMap<number, readonly FaultCode[]> {
  const ofRun = 'run' in params && !faults.includes('journal/corrupt') ? (['journal/corrupt'] as const) : [];
  const codes: readonly FaultCode[] =
    permission === 'open'
      ? ['request/forbidden', 'internal', ...faults]
      : [...COMMON, ...(body ? (['request/too-large', 'request/media-type'] as const) : []), ...ofRun, ...faults];
  const byStatus = new Map<number, FaultCode[]>();
  for (const code of codes) byStatus.set(FAULTS[code].http, [...(byStatus.get(FAULTS[code].http) ?? []), code]);
  return new Map([...byStatus].sort(([one], [other]) => one - other));
}

function operation(route: Address): unknown {
  const { name, tag, summary, permission, body, answers } = route;
  // A client sets `Accept` in its own way, so OpenAPI does not take it as a parameter.
  const parameters = parametersOf(route).filter((one) => one.name !== 'accept');
  const failures = [...faultsOf(route)].map(([status, codes]) => [String(status), problemAnswer(codes)] as const);
  return {
    operationId: name,
    tags: [tag],
    summary,
    ...(permission === 'open' ? { security: [] } : permission !== 'token' && { 'x-permission': permission }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: { required: !mayBeLeftOut(body), content: { 'application/json': { schema: referenceTo(body) } } },
    }),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, one]) => [status, answerOf(one)])),
      ...Object.fromEntries(failures.filter(([status]) => !Object.hasOwn(answers, status))),
    },
  };
}

function answerOf({ description, body, types }: RouteAnswer): unknown {
  const content: Record<string, { readonly schema: JsonSchema }> = {};
  if (body !== undefined) content['application/json'] = { schema: referenceTo(body) };
  for (const [type, holds] of Object.entries(types ?? {}))
    content[type] = { schema: { type: 'string', description: holds } };
  return { description, ...(Object.keys(content).length > 0 && { content }) };
}

const problemAnswer = (codes: readonly FaultCode[]): unknown => ({
  description: codes.map((code) => `\`${code}\`: ${FAULTS[code].means}.`).join(' '),
  content: { 'application/problem+json': { schema: referenceTo(ProblemDocument) } },
});

interface RouteParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
}

/** Everything beside the body, as OpenAPI says it. */
export function parametersOf({ params = {}, query = {}, headers = {} }: Address): readonly RouteParameter[] {
  const inPlace = (where: RouteParameter['in'], fields: RequestFields): readonly RouteParameter[] =>
    Object.entries(fields).map(([name, field]) => {
      const { description, ...schema } = messageSchema(field);
      return { name, in: where, required: isRequired(field), description: String(description), schema };
    });
  return [...inPlace('path', params), ...inPlace('query', query), ...inPlace('header', headers)];
}
