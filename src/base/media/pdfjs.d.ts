// The small builds of pdfjs-dist, which the package does not describe.

declare module 'pdfjs-dist/legacy/build/pdf.min.mjs' {
  export { getDocument } from 'pdfjs-dist';
}

declare module 'pdfjs-dist/legacy/build/pdf.worker.min.mjs' {
  export const WorkerMessageHandler: unknown;
}
