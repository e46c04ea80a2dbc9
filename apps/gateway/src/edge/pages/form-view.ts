import type { FormPage, PageField } from './form-page.js';
import { html, type Html } from '@postroom/formats';
import { withNext } from './next.js';

/** The content of a form beside its fields. */
export interface FormState {
  /** Goes with the request in a hidden field. */
  readonly token: string | null;
  /** The path to go on to afterwards. */
  readonly next: string | null;
  /** The values that were given before. */
  readonly given: (name: string) => string;
  readonly fault: Fault | null;
  /** The way to a provider. */
  readonly offer: Html | null;
}

/** Why a request was refused. */
export interface Fault {
  /** The field at fault, where it is one. */
  readonly field: string | null;
  readonly message: string;
}

/** The body of a page with a form. */
export const formView = (page: FormPage, state: FormState): Html =>
  html` ${faultView(page, state.fault)}
    <p>${page.intro}</p>
    <form method="post" action="${withNext(page.action, state.next)}">
      ${state.token === null ? null : html`<input type="hidden" name="token" value="${state.token}" /> `}${page.fields.map(
        (field, i) => fieldView(field, state, i === firstAtFault(page, state.fault)),
      )}<button type="submit">${page.button}</button>
    </form>
    ${state.offer}${page.more}`;

/** The field that a refusal is about; without one, the first gets the focus. */
const firstAtFault = ({ fields }: FormPage, fault: Fault | null): number =>
  Math.max(
    0,
    fields.findIndex(({ name }) => name === fault?.field),
  );

const isField = ({ fields }: FormPage, fault: Fault): boolean =>
  fields.some(({ name }) => name === fault.field);

const faultView = (page: FormPage, fault: Fault | null): Html | null => {
  if (fault === null) return null;
  const label = page.fields.find(({ name }) => name === fault.field)?.label;
  const where = isField(page, fault) ? `${label}: ` : '';
  return html`<p class="bad" id="fault" role="alert">${where + fault.message}</p> `;
};

function fieldView(field: PageField, { given, fault }: FormState, isFocused: boolean): Html {
  const { name, label, hint, type, autocomplete, isKept, isOptional } = field;
  const isAtFault = fault?.field === name;
  const described = [hint && `${name}-hint`, isAtFault && 'fault'].filter(Boolean).join(' ');
  return html`<label for="${name}">${label}</label>
    ${hint === undefined ? null : html`<p class="hint" id="${name}-hint">${hint}</p> `}<input
      id="${name}"
      name="${name}"
      type="${type}"
      autocomplete="${autocomplete}"
      value="${isKept ? given(name) : ''}"
      ${isOptional ? null : html` required`}${described === '' ? null : html` aria-describedby="${described}"`}${isAtFault ? html` aria-invalid="true"` : null}${isFocused ? html` autofocus` : null}
    /> `;
}
