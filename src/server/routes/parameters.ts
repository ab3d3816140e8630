// The parts of a request beside its body: those of its address, and headers.

import type { JsonSchema } from '../../kernel/schema.ts';
import type { Address } from '../address.ts';
import { isRequired, messageSchema, type RequestFields } from '../messages/schema.ts';

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
