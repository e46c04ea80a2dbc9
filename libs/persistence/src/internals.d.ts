/** The driver's own way from a value to the text that PostgreSQL reads; it has no types for it. */
declare module 'pg/lib/utils.js' {
  const utils: { prepareValue: (value: unknown) => string | Buffer | null };
  export default utils;
}
