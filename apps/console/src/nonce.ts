const meta = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]');

/** The value that the page's policy asks of style elements that scripts add. */
export const nonce = meta?.nonce ?? '';
