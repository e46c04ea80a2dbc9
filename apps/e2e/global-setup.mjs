import { beginRunFolder } from './run-folder.mjs';

// Jest loads this file untransformed, so it takes the compiled drivers.
export default async function setUp() {
  await beginRunFolder();
  const { startSharedProduct } = await import('./dist/shared-product.js');
  await startSharedProduct();
}
