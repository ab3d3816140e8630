// An animated WebP of screenshots: the browser finds what changed from one to the next and encodes that part alone, and the
// parts are put into one file, as the container of WebP has them.

/** A page that encodes: `part(png)` gives what changed since the picture before it. */
export async function encoder(browser) {
  const page = await browser.newPage();
  await page.evaluate(`
    let before;
    globalThis.part = async (png, quality) => {
      const bitmap = await createImageBitmap(await (await fetch('data:image/png;base64,' + png)).blob());
      const { width, height } = bitmap;
      const canvas = new OffscreenCanvas(width, height);
      const context = canvas.getContext('2d', { alpha: false, willReadFrequently: true });
      context.drawImage(bitmap, 0, 0);
      const now = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
      let [left, top, right, bottom] = before ? [width, height, 0, 0] : [0, 0, width, height];
      for (let at = 0; before && at < now.length; at++) {
        if (now[at] === before[at]) continue;
        const [x, y] = [at % width, Math.floor(at / width)];
        [left, top] = [Math.min(left, x), Math.min(top, y)];
        [right, bottom] = [Math.max(right, x + 1), Math.max(bottom, y + 1)];
      }
      before = now;
      if (right <= left) return undefined;
      // The container counts places in twos.
      [left, top] = [left - (left % 2), top - (top % 2)];
      const cut = new OffscreenCanvas(right - left, bottom - top);
      cut.getContext('2d', { alpha: false }).drawImage(canvas, -left, -top);
      const bytes = new Uint8Array(await (await cut.convertToBlob({ type: 'image/webp', quality })).arrayBuffer());
      let text = '';
      for (const byte of bytes) text += String.fromCharCode(byte);
      return { left, top, width: right - left, height: bottom - top, webp: btoa(text) };
    };`);
  return {
    part: (png, quality = 0.8) => page.evaluate(([data, q]) => part(data, q), [png.toString('base64'), quality]),
    close: () => page.close(),
  };
}

/** `frames`: parts with the milliseconds that each is shown. They are shown again and again. */
export function animated({ width, height }, frames) {
  const header = Buffer.concat([Buffer.from([0x02, 0, 0, 0]), u24(width - 1), u24(height - 1)]);
  const loop = Buffer.alloc(6); // background, and how often: 0 is without end
  const body = Buffer.concat([
    Buffer.from('WEBP'),
    chunk('VP8X', header),
    chunk('ANIM', loop),
    ...frames.map(({ left, top, width: w, height: h, ms, webp }) => {
      const place = [left / 2, top / 2, w - 1, h - 1, Math.round(ms)].map(u24);
      const over = Buffer.from([0x02]); // takes the place of what is there, and stays
      return chunk('ANMF', Buffer.concat([...place, over, stillOf(Buffer.from(webp, 'base64'))]));
    }),
  ]);
  return Buffer.concat([Buffer.from('RIFF'), u32(body.length), body]);
}

/** The chunks of a still picture that hold its pixels. */
function stillOf(file) {
  const kept = [];
  for (let at = 12; at < file.length; ) {
    const size = file.readUInt32LE(at + 4);
    const end = at + 8 + size + (size % 2);
    if (['ALPH', 'VP8 ', 'VP8L'].includes(file.toString('latin1', at, at + 4))) kept.push(file.subarray(at, end));
    at = end;
  }
  return Buffer.concat(kept);
}

const chunk = (name, data) => Buffer.concat([Buffer.from(name), u32(data.length), data, Buffer.alloc(data.length % 2)]);

function u24(value) {
  const bytes = Buffer.alloc(3);
  bytes.writeUIntLE(value, 0, 3);
  return bytes;
}

function u32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
