import type { Operation } from '@postroom/contracts';
import type { Html } from '@postroom/formats';

/** A field of a form. */
export interface PageField {
  /** The name of the input's field. */
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly type: 'email' | 'password' | 'text';
  /** The hint for a password manager. */
  readonly autocomplete: string;
  /** Shown again after a refusal. */
  readonly isKept?: true;
  readonly isOptional?: true;
}

/** A page with one form. */
export interface FormPage {
  readonly path: string;
  /** The path that its form is sent to. */
  readonly action: string;
  readonly operation: Operation;
  readonly title: string;
  readonly intro: string;
  readonly fields: readonly PageField[];
  readonly button: string;
  readonly more: Html | null;
  /** The script of the console's build that adds to the page where scripts run. */
  readonly script?: string;
  /** The page that is shown of the answer; where there is none, the member is signed in and goes on. */
  readonly done?: (answer: object, next: string | null) => DonePage | null;
}

/** The page after a form. */
export interface DonePage {
  readonly title: string;
  readonly body: Html;
}
