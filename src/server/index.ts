// `cadre/server`: serves a folder of agents from a program.

export type { Head, ServerApp, ServerCall, ServerContext, ServerEnv } from './context.ts';
export type * from './protocol.ts';
export { type CadreServer, type ServeOptions, serveCadre } from './serve.ts';
