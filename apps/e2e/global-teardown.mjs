import { removeRunFolder } from './run-folder.mjs';

export default async function tearDown() {
  const { stopSharedProduct } = await import('./dist/shared-product.js');
  await stopSharedProduct().finally(removeRunFolder);
}
