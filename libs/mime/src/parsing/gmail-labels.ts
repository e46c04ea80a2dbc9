import { decodeWords } from './encoded-words.js';
import { headerValue, type HeaderFields } from './header-fields.js';
import { storableLine } from './storable-text.js';

/** The labels of a message in an export of Gmail (Takeout). */
export interface GmailLabels {
  /** Null where its labels say nothing of it, as of sent mail. */
  readonly placement: 'inbox' | 'archived' | 'trash' | 'spam' | null;
  /** The labels that a person gave. */
  readonly labels: readonly string[];
}

const labelsMax = 100;
const labelCharactersMax = 128;
const valueUnitsMax = 16 * 1024;

/*
 * Gmail's own labels, as the export writes them in English, German, French, Spanish, Italian, Dutch and Portuguese.
 */
// prettier-ignore
const placements = {
  trash: ['trash', 'papierkorb', 'corbeille', 'papelera', 'cestino', 'prullenbak', 'lixeira', 'lixo', 'bin'],
  spam: ['spam', 'junk'],
  archived: ['archived', 'archiviert', 'archivé', 'archivés', 'archivado', 'archivados', 'archiviato', 'archiviati',
    'gearchiveerd', 'arquivado', 'arquivados', 'arquivada'],
  inbox: ['inbox', 'posteingang', 'boîte de réception', 'recibidos', 'posta in arrivo', 'in arrivo', 'postvak in',
    'caixa de entrada'],
} as const;
// prettier-ignore
const states = new Set([
  'sent', 'opened', 'unread', 'important', 'starred', 'draft', 'drafts', 'chat', 'snoozed', 'scheduled', 'outbox', 'muted',
  'gesendet', 'geöffnet', 'ungelesen', 'wichtig', 'markiert', 'entwurf', 'entwürfe',
  'envoyés', 'messages envoyés', 'envoyé', 'ouvert', 'ouverts', 'non lus', 'non lu', 'suivis', 'brouillons', 'brouillon',
  'enviado', 'enviados', 'abierto', 'abiertos', 'no leído', 'no leídos', 'importante', 'importantes', 'destacado',
  'destacados', 'borrador', 'borradores', 'inviati', 'posta inviata', 'aperto', 'aperti', 'da leggere', 'non letti',
  'importanti', 'speciali', 'bozza', 'bozze', 'verzonden', 'geopend', 'ongelezen', 'belangrijk', 'met ster', 'concept',
  'concepten', 'aberto', 'abertos', 'não lida', 'não lidas', 'com estrela', 'rascunho', 'rascunhos',
]);
const category = /^(?:category|kategorie|catégorie|categoría|categoria|categorie)\b/i;

/** The labels of a message of such an export; undefined for any other. */
export function gmailLabelsOf(headers: HeaderFields): GmailLabels | undefined {
  const value = decodeWords(headerValue(headers, 'x-gmail-labels').slice(0, valueUnitsMax));
  if (value === '') return undefined;
  const given = Array.from(value.matchAll(/"([^"]*)"|([^,"]+)/g), ([, quoted, bare = '']) =>
    storableLine(quoted ?? bare, labelCharactersMax),
  ).filter((label) => label !== '');
  const folded = new Set(given.map((label) => label.toLowerCase()));
  const order = ['trash', 'spam', 'inbox', 'archived'] as const;
  const placement = order.find((one) => placements[one].some((name) => folded.has(name))) ?? null;
  return { placement, labels: [...new Set(given.filter(isPersons))].slice(0, labelsMax) };
}

function isPersons(label: string): boolean {
  const folded = label.toLowerCase();
  const isPlacement = Object.values(placements).some((names) =>
    names.some((one) => one === folded),
  );
  return !isPlacement && !states.has(folded) && !category.test(label);
}
