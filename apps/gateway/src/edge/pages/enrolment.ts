import { totp, type Enrolled, type NewTotp } from '@postroom/contracts';
import type { FormPage } from './form-page.js';
import { formView } from './form-view.js';
import { html } from '@postroom/formats';

const title = 'Set up a second factor';

/** Shows the secret of a code application. */
export const enrolmentPage: FormPage = {
  path: '/enrolment',
  action: '/enrolment',
  operation: totp.begin,
  title,
  intro:
    'Besides your password or provider, a code is asked for when you sign in. You need an application that shows such codes. Set it up within 15 minutes of your sign-in, or sign in again.',
  fields: [],
  button: 'Show the secret',
  more: html`<p class="more"><a href="/sign-in">Back to sign-in</a></p>`,
  done: (answer, next) => {
    const { secret, url } = answer as NewTotp;
    const state = { token: null, next, given: () => '', fault: null, offer: null };
    return {
      title,
      body: html`<p>
          Add an account with this secret to your application, or open the link on its device.
        </p>
        <dl>
          <dt>Secret</dt>
          <dd>${secret}</dd>
          <dt>Link</dt>
          <dd><a href="${url}">${url}</a></dd>
        </dl>
        ${formView(confirmationPage, state)}`,
    };
  },
};

/** Takes the first code of the application, and shows the recovery codes. */
export const confirmationPage: FormPage = {
  path: '/enrolment/confirm',
  action: '/enrolment/confirm',
  operation: totp.confirm,
  title: 'Confirm the second factor',
  intro: 'Then give the code that the application shows now.',
  fields: [
    {
      name: 'code',
      label: 'Code',
      hint: 'Six digits, which change every half minute.',
      type: 'text',
      autocomplete: 'one-time-code',
    },
  ],
  button: 'Confirm',
  more: html`<p class="more"><a href="/enrolment">Begin again</a></p>`,
  done: (answer, next) => {
    const { recoveryCodes = [] } = answer as Enrolled;
    const kept = html`<p>
        Keep these recovery codes where you find them without your application. Each works once;
        they are shown this once.
      </p>
      <ul>
        ${recoveryCodes.map((code) => html`<li>${code}</li> `)}
      </ul>`;
    return {
      title: 'Your second factor is set up',
      body: html`${recoveryCodes.length === 0 ? null : kept}
        <p><a class="button" href="${next ?? '/sign-in'}">Go on</a></p>`,
    };
  },
};
