// Jest loads this file untransformed, so it takes the compiled drivers.
export default async function setUp() {
  const { startSharedProduct } = await import('./dist/shared-product.js');
  await startSharedProduct('cluster');
}
