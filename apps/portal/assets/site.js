// The pages gain this where scripts run; they can be read without. It asks no other host, and keeps nothing but the
// colours and the language that were chosen.
const { index: indexAddress } = document.currentScript.dataset;
const root = document.documentElement;
const saved = localStorage.getItem('postroom.scheme');
if (saved) root.dataset.scheme = saved;

const made = (name, properties, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};

function switchScheme(button) {
  const isDark = () =>
    (root.dataset.scheme ?? '') === 'dark' ||
    (!root.dataset.scheme && matchMedia('(prefers-color-scheme: dark)').matches);
  const tell = () => (button.textContent = isDark() ? 'Light' : 'Dark');
  button.hidden = false;
  button.addEventListener('click', () => {
    root.dataset.scheme = isDark() ? 'light' : 'dark';
    localStorage.setItem('postroom.scheme', root.dataset.scheme);
    tell();
  });
  tell();
}

/** The programs name the demo's address: the reader's own stands there instead. */
const demo = 'http://127.0.0.1:3000';

function useOwnAddress() {
  if (location.origin === demo) return;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode())
    if (texts.currentNode.data.includes(demo))
      texts.currentNode.data = texts.currentNode.data.replaceAll(demo, location.origin);
  for (const link of document.querySelectorAll('a[href^="vscode:"], a[href^="cursor:"]'))
    link.href = link.href
      .replace(encodeURIComponent(demo), encodeURIComponent(location.origin))
      .replace(/(?<=config=).+/, (config) =>
        window.btoa(window.atob(config).replace(demo, location.origin)),
      );
}

function addCopyButtons() {
  if (!navigator.clipboard) return;
  for (const block of document.querySelectorAll('pre')) {
    const code = block.querySelector('code');
    const button = made('button', { type: 'button', className: 'copy', textContent: 'Copy' });
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = 'Copied';
    });
    block.append(button);
  }
}

/** The language that was chosen on one page is shown on all. */
function keepLanguage() {
  const language = localStorage.getItem('postroom.language');
  for (const input of document.querySelectorAll('input[name="request"]')) {
    const label = input.parentElement.textContent;
    if (label === language) input.checked = true;
    input.addEventListener('change', () => localStorage.setItem('postroom.language', label));
  }
}

function offerSearch(opener) {
  const input = made('input', { type: 'search', placeholder: 'Search', autocomplete: 'off' });
  input.setAttribute('aria-label', 'Search the documentation');
  const list = made('ul', {});
  const dialog = made('dialog', {}, input, list);
  dialog.setAttribute('aria-label', 'Search');
  document.body.append(dialog);
  let pages = [];
  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length === 0 ? [] : ranked(pages, words).slice(0, 12);
    list.replaceChildren(
      ...found.map(([href, title, summary]) =>
        made('li', {}, made('a', { href }, title, made('span', { textContent: summary }))),
      ),
    );
  };
  const open = async () => {
    if (dialog.open) return;
    dialog.showModal();
    input.select();
    if (pages.length === 0) pages = await (await fetch(indexAddress)).json();
    show();
  };
  input.addEventListener('input', show);
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  dialog.addEventListener('keydown', (event) => moveInResults(event, input, list));
  opener.addEventListener('click', (event) => {
    event.preventDefault();
    void open();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target.matches('input:not([type="radio"]), textarea')) return;
    event.preventDefault();
    void open();
  });
}

/** Pages that have every word, those first whose title begins with one. */
function ranked(pages, words) {
  const weigh = ([, title, summary, more], word) => {
    const name = title.toLowerCase();
    if (name.startsWith(word)) return 4;
    if (name.includes(word)) return 3;
    if (more.toLowerCase().includes(word)) return 2;
    return summary.toLowerCase().includes(word) ? 1 : 0;
  };
  return pages
    .map((page) => ({ page, weights: words.map((word) => weigh(page, word)) }))
    .filter(({ weights }) => !weights.includes(0))
    .sort((one, other) => Math.max(...other.weights) - Math.max(...one.weights))
    .map(({ page }) => page);
}

function moveInResults(event, input, list) {
  const links = [...list.querySelectorAll('a')];
  const at = links.indexOf(document.activeElement);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step !== undefined) {
    event.preventDefault();
    (links[at + step] ?? (step < 0 ? input : links[at]))?.focus();
  } else if (event.key === 'Enter' && at < 0) links[0]?.click();
}

document.addEventListener('DOMContentLoaded', () => {
  switchScheme(document.querySelector('.scheme'));
  useOwnAddress();
  keepLanguage();
  addCopyButtons();
  offerSearch(document.querySelector('a.search'));
  // The page that is shown must be in sight in contents that scroll.
  document.querySelector('.pages [aria-current]')?.scrollIntoView({ block: 'nearest' });
});
