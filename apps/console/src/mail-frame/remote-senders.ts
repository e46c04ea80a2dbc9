/** Senders whose images from elsewhere are always shown, in this browser. */
const key = 'remote-image-senders';
const sendersMax = 500;

const read = (): readonly string[] => {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(kept) ? kept.map(String) : [];
  } catch {
    return [];
  }
};

export const isShownAlways = (sender: string): boolean => read().includes(sender.toLowerCase());

export const showAlways = (sender: string): void =>
  localStorage.setItem(
    key,
    JSON.stringify([...new Set([...read(), sender.toLowerCase()])].slice(-sendersMax)),
  );
