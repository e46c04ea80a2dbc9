export { connectClient } from './connect-client.js';
export { SignInPool } from './sign-in-pool.js';
export { passwordsOf, signInUrls } from './sign-in-urls.js';
