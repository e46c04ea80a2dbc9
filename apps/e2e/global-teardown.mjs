export default async function tearDown() {
  const { stopSharedProduct } = await import('./dist/shared-product.js');
  await stopSharedProduct();
}
