import { passwordReset, secondFactor, session, signIn, type SessionEnd } from '@postroom/contracts';
import { confirmationPage, enrolmentPage } from './enrolment.js';
import type { DonePage, FormPage, PageField } from './form-page.js';
import { html } from '@postroom/formats';

const newPassword: PageField = {
  name: 'password',
  label: 'New password',
  hint: 'At least 10 characters. A few words that nobody would put together are easy to keep.',
  type: 'password',
  autocomplete: 'new-password',
};

const email: PageField = {
  name: 'email',
  label: 'Email address',
  type: 'email',
  autocomplete: 'username',
  isKept: true,
};

/** Adds passkeys. */
const script = 'src/sign-in/passkey.ts';

export const signInPage: FormPage = {
  path: '/sign-in',
  action: '/sign-in',
  operation: signIn.create,
  title: 'Sign in',
  intro: 'Sign in to the shared mailboxes of your team.',
  fields: [
    // The browser offers passkeys among the addresses.
    { ...email, autocomplete: 'username webauthn' },
    { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' },
  ],
  button: 'Sign in',
  script,
  more: html`<p class="more"><a href="/reset">Forgotten your password?</a></p>`,
};

export const invitationPage: FormPage = {
  path: '/invitation',
  action: '/invitation',
  operation: signIn.accept,
  title: 'Choose a password',
  intro:
    'This link is yours alone and works once. With the password that you choose here you sign in from now on.',
  fields: [newPassword],
  button: 'Save and sign in',
  more: html`<p class="more">Done already? <a href="/sign-in">Sign in</a></p>`,
};

export const resetPage: FormPage = {
  path: '/reset',
  action: '/reset',
  operation: passwordReset.request,
  title: 'Forgotten password',
  intro: 'We send you a link to choose a new one.',
  fields: [email],
  button: 'Send the link',
  more: html`<p class="more"><a href="/sign-in">Back to sign-in</a></p>`,
  done: () => ({
    title: 'Look at your mail',
    body: html`<p class="good">
      If the address is that of a member who signs in with a password, a link is on its way to it.
      It works once, within the next hour. Nothing there after some minutes? Look among the unwanted
      mail, or ask your administrator.
    </p>`,
  }),
};

/** Shown at the address of {@link resetPage} where a token is given. */
export const newPasswordPage: FormPage = {
  path: '/reset/new',
  action: '/reset/new',
  operation: passwordReset.accept,
  title: 'Choose a new password',
  intro: 'All sessions of your account end, and you are signed in here.',
  fields: [newPassword],
  button: 'Save and sign in',
  more: html`<p class="more"><a href="/reset">Ask for another link</a></p>`,
};

export const secondFactorPage: FormPage = {
  path: '/second-factor',
  action: '/second-factor',
  operation: secondFactor.give,
  title: 'Second step',
  intro: 'Give one of the two, within five minutes of your sign-in.',
  fields: [
    {
      name: 'code',
      label: 'Code',
      hint: 'The six digits that your code application shows now.',
      type: 'text',
      autocomplete: 'one-time-code',
      isOptional: true,
    },
    {
      name: 'recoveryCode',
      label: 'Recovery code',
      hint: 'If you do not have the application at hand. Each works once.',
      type: 'text',
      autocomplete: 'off',
      isOptional: true,
    },
  ],
  button: 'Go on',
  script,
  more: html`<p class="more"><a href="/sign-in">Back to sign-in</a></p>`,
};

/** Every page with a form. */
export const formPages: readonly FormPage[] = [
  signInPage,
  invitationPage,
  resetPage,
  newPasswordPage,
  secondFactorPage,
  enrolmentPage,
  confirmationPage,
];

/** The button that signs out; a link signs out of the provider too, since browsers stop a form that leads there. */
export const signOut = {
  path: '/sign-out',
  operation: session.end,
  done: (answer: object): DonePage | null => {
    const { signOutUrl } = answer as SessionEnd;
    if (signOutUrl === undefined) return null;
    const link = html`<a class="button" href="${signOutUrl}">Sign out of your provider too</a>`;
    return { title: 'You are signed out', body: html`<p>${link}</p>` };
  },
} as const;
