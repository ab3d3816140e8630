// Looks for model servers on this machine, at the ports where they usually listen. For `cadre models`; nothing else
// probes. Asks loopback only, follows no redirect, and treats silence as "not there".

export interface LocalServer {
  /** The server that usually has this port. Another one may answer there. */
  readonly name: string;
  /** The value of `baseUrl` in cadre.yaml. */
  readonly baseUrl: string;
  readonly models: readonly string[];
}

export interface Port {
  readonly name: string;
  readonly port: number;
}

export const USUAL_PORTS: readonly Port[] = [
  { name: 'Ollama', port: 11434 },
  { name: 'llama.cpp', port: 8080 },
  { name: 'LM Studio', port: 1234 },
  { name: 'vLLM', port: 8000 },
];

const TIMEOUT_MS = 500;

/** Those that answered `/v1/models`, in the order of the ports. */
export async function findLocalServers(ports = USUAL_PORTS, timeoutMs = TIMEOUT_MS): Promise<readonly LocalServer[]> {
  const found = await Promise.all(ports.map((port) => probe(port, timeoutMs)));
  return found.filter((server) => server !== undefined);
}

async function probe({ name, port }: Port, timeoutMs: number): Promise<LocalServer | undefined> {
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(`${baseUrl}/models`, { signal, redirect: 'error' });
    const models = response.ok ? modelIds(await response.json()) : undefined;
    return models && { name, baseUrl, models };
  } catch {
    return undefined; // refused, silent or not JSON: there is no model server, which is not a failure
  }
}

function modelIds(body: unknown): readonly string[] | undefined {
  const data = (body as { readonly data?: unknown } | null)?.data;
  if (!Array.isArray(data)) return undefined;
  return data.flatMap((model: unknown) => {
    const id = (model as { readonly id?: unknown } | null)?.id;
    return typeof id === 'string' ? id : [];
  });
}
