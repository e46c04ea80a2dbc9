/** A search for words of the frequency that its title names. */
export interface TermClass {
  readonly id: string;
  readonly title: string;
  readonly q: string;
  /** The same as a `tsquery`, for the plans that it is compared with. */
  readonly tsquery: string;
  readonly unread: boolean | null;
}

export const termClasses: readonly TermClass[] = [
  { id: 'half', title: 'half of all messages', q: '"commande"', tsquery: `'commande'` },
  { id: '3pct', title: '3 %', q: '"remboursement"', tsquery: `'remboursement'` },
  { id: '0.1pct', title: '0.1 %', q: '"litige"', tsquery: `'litige'` },
  { id: 'absent', title: 'no message', q: '"introuvable"', tsquery: `'introuvable'` },
  { id: 'prefix', title: 'beginning of words', q: 'livr', tsquery: `'livr':*` },
  {
    id: 'two',
    title: 'two words',
    q: 'commande "remboursement"',
    tsquery: `'commande' & 'remboursement'`,
  },
  {
    id: 'phrase',
    title: 'phrase',
    q: '"numero de suivi"',
    tsquery: `'numero' <-> 'de' <-> 'suivi'`,
  },
  {
    id: 'operator',
    title: 'operator and word',
    q: 'is:unread "remboursement"',
    tsquery: `'remboursement'`,
    unread: true,
  },
].map((one) => ({ unread: null, ...one }));
