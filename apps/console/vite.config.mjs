import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The running product that `vite dev` sends requests to. It must see the browser's own Host header, or each write has a foreign origin. */
const product = {
  target: process.env.POSTROOM_URL ?? 'http://127.0.0.1:3000',
  changeOrigin: false,
};

/** Beside each script and style, the same compressed. The image takes the time for the best quality, 11. */
const compressed = {
  name: 'compressed',
  writeBundle({ dir }, bundle) {
    const quality = Number(process.env.BROTLI_QUALITY ?? 5);
    for (const file of Object.keys(bundle).filter((name) => /\.(js|css|svg)$/.test(name))) {
      const params = { [constants.BROTLI_PARAM_QUALITY]: quality };
      const content = readFileSync(join(dir, file));
      writeFileSync(join(dir, `${file}.br`), brotliCompressSync(content, { params }));
    }
  },
};

export default defineConfig({
  plugins: [react(), compressed],
  build: {
    outDir: 'dist/page',
    manifest: 'manifest.json',
    // Browsers that know `light-dark()`: rewritten for older ones, it would miss how Mantine sets the scheme.
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // The licences of what is bundled go with it.
    license: { fileName: 'licences.md' },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: { input: ['index.html', 'src/sign-in/passkey.ts'] },
  },
  html: { cspNonce: '{{nonce}}' },
  server: {
    proxy: Object.fromEntries(
      ['/settings/api', '/public', '/sign-in', '/sign-out', '/mail-frame.html'].map((path) => [
        path,
        product,
      ]),
    ),
  },
});
