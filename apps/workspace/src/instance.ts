/** One process of a service. */
export interface Instance {
  readonly service: 'gateway' | 'mail';
  /** Its name among all. */
  readonly instance: string;
  /** Of a gateway. */
  readonly baseUrl?: string;
  /** Where `/healthz`, `/readyz` and `/metrics` are. */
  readonly healthUrl: string;
  /** Of a mail service. */
  readonly smtp?: { readonly host: string; readonly port: number };
  /** Of a mail service that listens for LMTP. */
  readonly lmtp?: { readonly host: string; readonly port: number };
  readonly pid: number;
}
