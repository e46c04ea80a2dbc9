import type { PostalAddressValue } from '@postroom/contracts';

/** The fields of a contact that one column fills. */
type TextField =
  | 'displayName'
  | 'givenName'
  | 'middleName'
  | 'familyName'
  | 'organization'
  | 'jobTitle'
  | 'notes';

/** The parts of a day that have columns of their own in Thunderbird's export. */
type DayField = 'birthYear' | 'birthMonth' | 'birthDay';

/** The content of a column; null for content that contacts have no field for and that may be dropped. */
export type Column =
  | { readonly field: TextField | DayField | 'groups' }
  | { readonly field: 'birthday'; readonly isDayFirst: boolean }
  | { readonly field: 'emails' | 'phones' | 'urls'; readonly type: string | null }
  | {
      readonly field: 'addresses';
      readonly part: AddressPart;
      /** The words that the columns of one address have in common. */
      readonly place: string;
      readonly type: string | null;
    }
  | null;

/** A part of a postal address; `formatted` is the whole, which counts where no part is given. */
type AddressPart = Exclude<keyof PostalAddressValue, 'type'> | 'formatted';

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
const texts: Readonly<Record<TextField | DayField | 'groups', string>> = {
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
  birthYear: 'birth year',
  birthMonth: 'birth month',
  birthDay: 'birth day',
  groups: `labels, group membership, categories, kategorien, categorias, categorie, categorieen`,
};

const namesOf = (list: string): string[] => list.split(',').map((name) => name.trim());
const fields = new Map(
  Object.entries(texts).flatMap(([field, list]) =>
    namesOf(list).map((name) => [name, field as TextField | DayField | 'groups'] as const),
  ),
);

/** Columns of a birthday where the month comes first, or may, and where it never does. */
const birthday = /^(?:birthday|birth date|birthdate|date of birth)$/;
const birthdayDayFirst =
  /^(?:anniversaire|date de naissance|geburtstag|geburtsdatum|cumpleanos|fecha de nacimiento|compleanno|data di nascita|verjaardag|geboortedatum|aniversario|data de nascimento)$/;
const page =
  /\b(?:web ?pages?|web ?sites?|webseite|web ?pagina|pagina (?:da )?web|page web|site web|sitio web|sito web|home ?page|url)\b/;

/** Words of the parts of a postal address; a column of `Country/Region` is one of the country. */
const addressWords: readonly (readonly [AddressPart, RegExp])[] = [
  ['formatted', /\bformatted\b/],
  [
    'postalCode',
    /\b(?:postal code|zip ?code|zip|post ?code|code postal|postleitzahl|plz|codigo postal|cap|cep)\b/,
  ],
  ['country', /\b(?:country|pays|land|pais|paese)\b/],
  [
    'region',
    /\b(?:state|region|province|county|departement|dep|bundesland|provincia|estado|provincie)\b/,
  ],
  ['city', /\b(?:city|town|ville|ort|stadt|ciudad|citta|cidade|localidade|plaats)\b/],
  [
    'street',
    /\b(?:street|address|po box|rue|adresse|calle|via|indirizzo|straat|adres|rua|endereco|direccion)\b|stra(?:ss|\u00df)e/,
  ],
];

/** Words that say which of several addresses a column is of. */
const addressPlace =
  /\b(?:home|work|business|other|autre|weitere[rs]?|andere[rs]?|otr[ao]|altr[ao]|outr[ao])\b/;

/** The postal address of a column: it names a part, and a place unless it is no more than that part. */
function addressOf(key: string): Column | undefined {
  const found = addressWords.find(([, words]) => words.test(key));
  if (!found) return undefined;
  const [part, words] = found;
  const place = /^address \d+/.exec(key)?.[0];
  if (place !== undefined) return { field: 'addresses', part, place, type: null };
  const type = typeOf(key) ?? addressPlace.exec(key)?.[0] ?? null;
  const isBare =
    key
      .replace(words, '')
      .replace(/(?<!\d)\d+$/, '')
      .trim() === '';
  if (type === null && !isBare) return undefined;
  return { field: 'addresses', part, place: type ?? '', type };
}

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
  [/bureau|professionnel|geschaftlich|trabajo|ufficio|\buff\b|werk\b|comercial|\bwork\b/, 'work'],
  [/domicile|privat|particular|casa|abitazione|\bab\b|thuis|residencial/, 'home'],
];

/** The type that the words of a column name: the English ones as they are. */
const typeOf = (key: string): string | null =>
  /^(.+) phone(?: \d)?$/.exec(key)?.[1] ?? types.find(([words]) => words.test(key))?.[1] ?? null;

/** The birthday, link, address or number of a column. */
function valueOf(key: string): Column | undefined {
  const isDayFirst = birthdayDayFirst.test(key);
  if (isDayFirst || birthday.test(key)) return { field: 'birthday', isDayFirst };
  if (page.test(key)) return { field: 'urls', type: null };
  if (email.test(key)) return { field: 'emails', type: null };
  const address = addressOf(key);
  if (address) return address;
  return phone.test(key) ? { field: 'phones', type: typeOf(key) } : undefined;
}

/** The content of a column, by its key; undefined for one that is not known. */
export function columnOf(key: string): Column | undefined {
  const field = fields.get(key);
  if (field) return { field };
  if (unmissed.test(key)) return null;
  const value = valueOf(key);
  return value && beside.test(key) ? null : value;
}
