const sharedProductVariable = 'POSTROOM_E2E_PRODUCT';

/** Where `demo.json` of the product that the spec files share is to be found. */
export function sharedProductFile(): string {
  const file = process.env[sharedProductVariable];
  if (file === undefined)
    throw new Error('No shared product: run the suite through its Jest project.');
  return file;
}

/** Tells the spec files, which Jest runs in other contexts and processes, of the shared product. */
export function announceSharedProduct(file: string): void {
  process.env[sharedProductVariable] = file;
}

const inherited = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'USER', 'LOGNAME', 'SHELL'];

/**
 * The environment of a product under test: what a shell gives, and the settings of the test. What
 * the caller's environment says of a product (a `DATABASE_URL`, say) stays out.
 */
export function productEnvironment(settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const given = inherited.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(given), ...settings };
}
