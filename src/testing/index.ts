// Helpers for tests of agents and of programs around them: stores without a disk, scripted models, made-up cadres.

export { cadreFromTexts } from '../definition/load.ts';
export { type Difference, type Replay, replay } from '../engine/history/replay.ts';
export type { ModelEvent, ModelProvider, ProviderRequest } from '../models/provider.ts';
export { loadScript } from '../models/scripted/load.ts';
export type { Script, ScriptedReply, ScriptStep } from '../models/scripted/script.ts';
export { type ScriptedProvider, scriptedProvider as scripted } from '../models/scripted/scripted.ts';
export { services } from '../run/services.ts';
export { memoryStore } from '../stores/memory.ts';
export { generateCadre } from './generate.ts';
