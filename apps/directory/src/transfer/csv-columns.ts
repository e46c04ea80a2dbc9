/** The fields of a contact that one column fills. */
type TextField =
  'displayName' | 'givenName' | 'middleName' | 'familyName' | 'organization' | 'jobTitle' | 'notes';

/** The content of a column; null for what no contact has and nobody misses. */
export type Column =
  | { readonly field: TextField | 'groups' }
  | { readonly field: 'emails' | 'phones'; readonly type: string | null }
  | null;

/** A header without case, accents and signs: exporters write `E-mail 2 Address` and `Tél. mobile`. */
export const columnKey = (name: string): string =>
  name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{Nd}]+/gu, ' ')
    .trim();

/**
 * Columns by their names in Google's exports of today and before, in Outlook's in seven languages, and in
 * Thunderbird's. `Title`, `Titre` and `Anrede` are forms of address (`Mr.`), and no job.
 */
const texts: Readonly<Record<TextField | 'groups', string>> = {
  displayName: `name, display name, full name, file as, nom complet, nom affiche, anzeigename, vollstandiger name,
    nombre completo, nombre para mostrar, nome completo, nome visualizzato, weergavenaam, volledige naam,
    nome de exibicao, nome a apresentar`,
  givenName: `first name, given name, prenom, vorname, nombre, nome, voornaam, nome proprio`,
  middleName: `middle name, additional name, deuxieme prenom, weitere vornamen, zweiter vorname, segundo nombre,
    secondo nome, middelste naam, tweede voornaam, segundo nome, nome do meio`,
  familyName: `last name, family name, surname, nom, nom de famille, nachname, familienname, apellidos, apellido,
    cognome, achternaam, sobrenome, apelido`,
  organization: `organization name, organization 1 name, organization, company, societe, entreprise, organisation,
    firma, organizacion, compania, empresa, societa, azienda, organizzazione, bedrijf, organizacao`,
  jobTitle: `organization title, organization 1 title, job title, fonction, poste, intitule de poste, position,
    berufsbezeichnung, puesto, cargo, posizione, qualifica, functie, funcao`,
  notes: 'notes, remarques, notizen, notas, note, notities, opmerkingen, anotacoes, observacoes',
  groups: `labels, group membership, categories, kategorien, categorias, categorie, categorieen`,
};

const namesOf = (list: string): string[] => list.split(',').map((name) => name.trim());
const fields = new Map(
  Object.entries(texts).flatMap(([field, list]) =>
    namesOf(list).map((name) => [name, field as TextField | 'groups'] as const),
  ),
);

const email =
  /\b(?:e ?mail|email|emailadres|courriel|messagerie|correo|posta elettronica|correio|mail)\b|e mail|emailadres/;
const phone =
  /\b(?:phone|telephone|tel|telefon|telefono|telefone|telefoon|mobile|mobil|mobiltelefon|movil|cellulare|celular|telemovel|portable|handy|gsm|fax|telecopie|abitazione)\b|telefon/;
/** Words of columns that stand beside a value: its kind or another name of it. */
const beside =
  /\b(?:type|typ|tipo|label|display|name|nom|nombre|nome|weergavenaam|angezeigter|anzeigename|format)\b/;
/** Columns that exporters fill for each contact, whatever it is. */
const unmissed =
  /^(?:priority|priorite|prioritat|prioridad|priorita|prioriteit|prioridade|private|prive|privat|privado|privato|particular|sensitivity|critere de diffusion|vertraulichkeit|confidencialidad|riservatezza|gevoeligheid|confidencialidade|gender|sexe|geschlecht|sexo|sesso|geslacht|initials|initiales|initialen|iniciales|iniziali|iniciais|language|langue|sprache|idioma|lingua|taal)$/;

const types: readonly (readonly [RegExp, string])[] = [
  [/fax|telecopie/, 'fax'],
  [/mobi|movil|cellulare|celular|telemovel|portable|handy|gsm|cell/, 'mobile'],
  [/bureau|professionnel|geschaftlich|trabajo|ufficio|werk\b|comercial|\bwork\b/, 'work'],
  [/domicile|privat|particular|casa|abitazione|thuis|residencial/, 'home'],
];

/** The type that the words of a column name: the English ones as they are. */
const typeOf = (key: string): string | null =>
  /^(.+) phone(?: \d)?$/.exec(key)?.[1] ?? types.find(([words]) => words.test(key))?.[1] ?? null;

/** The content of a column, by its key; undefined for one that is not known. */
export function columnOf(key: string): Column | undefined {
  const field = fields.get(key);
  if (field) return { field };
  if (unmissed.test(key)) return null;
  const isEmail = email.test(key);
  if (!isEmail && !phone.test(key)) return undefined;
  if (beside.test(key)) return null;
  return { field: isEmail ? 'emails' : 'phones', type: isEmail ? null : typeOf(key) };
}
