// A provider of the AI SDK that a program has made, whatever the version of the SDK.

/** A provider instance of the AI SDK, as `createOpenAI()` and its like make one. Of any version of the SDK. */
export interface AiSdkProvider {
  languageModel(modelId: string): AiSdkModel;
}

/** The part of a language model of the AI SDK that is used here. */
export interface AiSdkModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doStream(options: never): PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
}

export type GivenProviders = Readonly<Record<string, AiSdkProvider>>;

export const isAiSdkProvider = (value: unknown): value is AiSdkProvider =>
  value !== null &&
  (typeof value === 'object' || typeof value === 'function') &&
  'languageModel' in value &&
  typeof value.languageModel === 'function';
