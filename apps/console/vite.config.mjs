import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The running product that `vite dev` sends requests to. It must see the browser's own Host header, or each write has a foreign origin. */
const product = {
  target: process.env.POSTROOM_URL ?? 'http://127.0.0.1:3000',
  changeOrigin: false,
};

export default defineConfig({
  plugins: [react()],
  build: {
    outDir: 'dist/page',
    manifest: 'manifest.json',
    // The licences of what is bundled go with it.
    license: { fileName: 'licences.md' },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: { input: ['index.html'] },
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
