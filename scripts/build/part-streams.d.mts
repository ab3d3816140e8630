import type { Plugin } from 'vite';

export declare const WITH_PART_STREAMS: RegExp;
export declare const partStreams: Plugin;
