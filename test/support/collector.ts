// Starts the collector of the tests, and reads what it took.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export type Attributes = Readonly<Record<string, string | number | undefined>>;

export interface TakenSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code: number; readonly message?: string };
  readonly attributes: Attributes;
}

export interface TakenPoint {
  readonly metric: string;
  readonly unit: string;
  readonly attributes: Attributes;
  readonly count: number;
  readonly sum: number;
  readonly bounds: readonly number[];
}

export interface TestCollector {
  readonly url: string;
  readonly requests: readonly { readonly url: string; readonly headers: Readonly<Record<string, string>> }[];
  spans(): readonly TakenSpan[];
  points(): readonly TakenPoint[];
  resource(): Attributes;
  clear(): void;
  stop(): Promise<void>;
}

interface Pair {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
type Json = Readonly<Record<string, unknown>>;

export async function startCollector(...args: readonly string[]): Promise<TestCollector> {
  const file = fileURLToPath(new URL('./otlp-collector.mjs', import.meta.url));
  const child = spawn(process.execPath, [file, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const requests: { url: string; headers: Record<string, string>; body: Json }[] = [];
  const lines = createInterface({ input: child.stdout });
  const port = await new Promise<string>((resolve) => lines.once('line', resolve));
  lines.on('line', (line) => requests.push(JSON.parse(line) as (typeof requests)[number]));
  const within = (key: string, ...inner: readonly string[]): readonly Json[] =>
    inner.reduce<readonly Json[]>(
      (all, name) => all.flatMap((one) => one[name] as readonly Json[]),
      requests.flatMap(({ body }) => (body[key] ?? []) as readonly Json[]),
    );
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    spans: () =>
      within('resourceSpans', 'scopeSpans', 'spans').map(
        (span) => ({ ...span, attributes: plain(span['attributes'] as readonly Pair[]) }) as unknown as TakenSpan,
      ),
    points: () =>
      within('resourceMetrics', 'scopeMetrics', 'metrics').flatMap(({ name, unit, histogram }) =>
        ((histogram as Json)['dataPoints'] as readonly Json[]).map((point) => ({
          metric: String(name),
          unit: String(unit),
          attributes: plain(point['attributes'] as readonly Pair[]),
          count: Number(point['count']),
          sum: Number(point['sum']),
          bounds: point['explicitBounds'] as readonly number[],
        })),
      ),
    resource: () =>
      plain(within('resourceSpans').flatMap(({ resource }) => (resource as { attributes: Pair[] }).attributes)),
    clear: () => void requests.splice(0),
    async stop() {
      child.stdin.end();
      await new Promise((resolve) => child.once('close', resolve));
    },
  };
}

/** Each value without the word for its type; whole numbers may come as text. */
function plain(pairs: readonly Pair[] = []): Attributes {
  return Object.fromEntries(
    pairs.map(({ key, value }) => {
      const [type = '', inner] = Object.entries(value)[0] ?? [];
      return [key, type === 'intValue' ? Number(inner) : inner];
    }),
  ) as Attributes;
}
