import type { ServerFact } from './oauth-providers.js';

/** The way in that a provider leaves to programs. */
export type SignIn = 'password' | 'app_password' | 'oauth';

/** A provider's published facts. */
export interface MailProvider {
  readonly name: string;
  readonly signIn: SignIn;
  readonly imap: ServerFact;
  readonly outgoing: ServerFact;
  /** Domains of its own addresses. */
  readonly domains: readonly string[];
  /** Ends of its mail exchangers' names, by which its customers' domains are known. */
  readonly exchangers: readonly string[];
  /** The page that says so. */
  readonly source: string;
}

/**
 * One provider a line: name, way in, IMAP, submission, domains, mail exchangers, source; `-` is none.
 *
 * The servers were compared on 27 November 2026 with Thunderbird's database of providers (github.com/thunderbird/autoconfig,
 * commit 0fab1abb), which has the same for all but these: mailbox.org and Infomaniak, whose own pages were opened and say
 * the same; IONOS, whose French page names `imap.ionos.fr`, and whose other pages could not be opened (the database has the
 * older `imap.1und1.de`); and freenet, whose page could not be opened. The pages of Outlook.com, mailbox.org and Infomaniak
 * were opened; those of the others could not be, so their ways in rest on what is generally said of them.
 */
const lines = `
Google | oauth | imap.gmail.com:993 | smtp.gmail.com:465 | gmail.com googlemail.com | google.com googlemail.com | https://developers.google.com/workspace/gmail/imap/imap-smtp
Outlook.com | oauth | outlook.office365.com:993 | smtp-mail.outlook.com:587 | outlook.com hotmail.com live.com msn.com outlook.fr hotmail.fr live.fr hotmail.co.uk outlook.de | olc.protection.outlook.com | https://support.microsoft.com/office/8361e398-8af4-4e97-b147-6c6c4ac95353
Microsoft 365 | oauth | outlook.office365.com:993 | smtp.office365.com:587 | onmicrosoft.com | mail.protection.outlook.com mx.microsoft | https://learn.microsoft.com/exchange/mail-flow-best-practices/how-to-set-up-a-multifunction-device-or-application-to-send-email-using-microsoft-365-or-office-365
Apple iCloud | app_password | imap.mail.me.com:993 | smtp.mail.me.com:587 | icloud.com me.com mac.com | mail.icloud.com | https://support.apple.com/102525
Yahoo | app_password | imap.mail.yahoo.com:993 | smtp.mail.yahoo.com:465 | yahoo.com yahoo.fr yahoo.co.uk yahoo.de yahoo.it yahoo.es yahoo.ca ymail.com rocketmail.com | yahoodns.net | https://help.yahoo.com/kb/SLN4075.html
AOL | app_password | imap.aol.com:993 | smtp.aol.com:465 | aol.com aol.fr aol.de aol.co.uk | - | https://help.aol.com/articles/how-do-i-use-other-email-applications-to-send-and-receive-my-aol-mail
Fastmail | app_password | imap.fastmail.com:993 | smtp.fastmail.com:465 | fastmail.com fastmail.fm | messagingengine.com | https://www.fastmail.help/hc/en-us/articles/1500000278342
Zoho Mail | app_password | imap.zoho.com:993 | smtp.zoho.com:465 | zoho.com zohomail.com | mx.zoho.com mx2.zoho.com mx3.zoho.com | https://www.zoho.com/mail/help/imap-access.html
Zoho Mail (Europe) | app_password | imap.zoho.eu:993 | smtp.zoho.eu:465 | zoho.eu zohomail.eu | mx.zoho.eu mx2.zoho.eu mx3.zoho.eu | https://www.zoho.com/mail/help/imap-access.html
Yandex | app_password | imap.yandex.com:993 | smtp.yandex.com:465 | yandex.com yandex.ru ya.ru yandex.by yandex.kz | mx.yandex.net | https://yandex.com/support/yandex-360/customers/mail/en/mail-clients/others
Mail.ru | app_password | imap.mail.ru:993 | smtp.mail.ru:465 | mail.ru inbox.ru list.ru bk.ru | mxs.mail.ru emx.mail.ru | https://help.mail.ru/mail/mailer/popsmtp/
GMX | password | imap.gmx.net:993 | mail.gmx.net:587 | gmx.de gmx.net gmx.at gmx.ch | mx.gmx.net | https://hilfe.gmx.net/pop-imap/imap/imap-serverdaten.html
GMX (international) | password | imap.gmx.com:993 | mail.gmx.com:587 | gmx.com gmx.fr gmx.us | - | https://support.gmx.com/pop-imap/imap/server.html
WEB.DE | password | imap.web.de:993 | smtp.web.de:587 | web.de | mx-ha.web.de | https://hilfe.web.de/pop-imap/imap/imap-serverdaten.html
mail.com | password | imap.mail.com:993 | smtp.mail.com:587 | mail.com email.com usa.com | mx00.mail.com mx01.mail.com | https://support.mail.com/premium/imap/server.html
T-Online | app_password | secureimap.t-online.de:993 | securesmtp.t-online.de:465 | t-online.de magenta.de | mx00.t-online.de mx01.t-online.de mx02.t-online.de mx03.t-online.de | https://www.telekom.de/hilfe/apps-dienste/e-mail/einrichten/servereinstellungen
freenet | password | mx.freenet.de:993 | mx.freenet.de:587 | freenet.de | emig.freenet.de | https://kundenservice.freenet.de/hilfe/freenetmail/e-mail-programme
Posteo | password | posteo.de:993 | posteo.de:465 | posteo.de posteo.net posteo.eu | - | https://posteo.de/en/help/which-settings-do-i-need-to-access-posteo-with-an-external-email-program
mailbox.org | password | imap.mailbox.org:993 | smtp.mailbox.org:465 | mailbox.org | mailbox.org | https://kb.mailbox.org/en/private/e-mail/e-mail-configuration
IONOS | password | imap.ionos.com:993 | smtp.ionos.com:465 | - | ionos.com 1and1.com | https://www.ionos.com/help/email/general-topics/settings-for-your-email-programs-imap-pop3/
IONOS (Germany) | password | imap.ionos.de:993 | smtp.ionos.de:465 | - | ionos.de kundenserver.de | https://www.ionos.de/hilfe/e-mail/allgemeine-themen/serverinformationen-fuer-imap-pop3-und-smtp/
IONOS (France) | password | imap.ionos.fr:993 | smtp.ionos.fr:465 | - | ionos.fr 1and1.fr | https://www.ionos.fr/assistance/email/sujets-generaux/parametres-pour-vos-programmes-de-messagerie-imap-pop3/
STRATO | password | imap.strato.de:993 | smtp.strato.de:465 | - | rzone.de | https://www.strato.de/faq/mail/so-richten-sie-ihre-mailbox-in-einem-e-mail-programm-ein/
OVHcloud | password | ssl0.ovh.net:993 | ssl0.ovh.net:465 | - | mail.ovh.net mx0.ovh.net mx1.ovh.net mx2.ovh.net mx3.ovh.net mx4.ovh.net | https://help.ovhcloud.com/csm/en-mx-plan-web-mail-client-configuration?id=kb_article_view&sysparm_article=KB0051688
Gandi | password | mail.gandi.net:993 | mail.gandi.net:465 | - | mail.gandi.net | https://docs.gandi.net/en/gandimail/standard_email_settings/index.html
Infomaniak | app_password | mail.infomaniak.com:993 | mail.infomaniak.com:465 | ik.me ikmail.com etik.com | mta-gw.infomaniak.ch | https://www.infomaniak.com/en/support/faq/admin2/email-service
Orange | password | imap.orange.fr:993 | smtp.orange.fr:465 | orange.fr wanadoo.fr | smtp-in.orange.fr | https://assistance.orange.fr/ordinateurs-peripheriques/installer-et-utiliser/l-utilisation-du-mail-et-du-cloud/mail-orange/le-mail-orange-nouvelle-version/parametrer-la-boite-mail
Free | password | imap.free.fr:993 | smtp.free.fr:465 | free.fr | mx1.free.fr mx2.free.fr | https://assistance.free.fr/articles/609
SFR | password | imap.sfr.fr:993 | smtp.sfr.fr:465 | sfr.fr neuf.fr | smtp-in.sfr.fr | https://assistance.sfr.fr/sfr-mail-appli/parametrer-sfr-mail.html
La Poste | password | imap.laposte.net:993 | smtp.laposte.net:465 | laposte.net | smtp-in.laposte.net | https://aide.laposte.net/contents/comment-parametrer-un-logiciel-de-messagerie
Libero | password | imapmail.libero.it:993 | smtp.libero.it:465 | libero.it inwind.it iol.it blu.it giallo.it | smtp-in.libero.it | https://aiuto.libero.it/articolo/mail/altri-client-mail/come-configurare-i-parametri-imap-smtp-su-altri-client-di-posta/
`;

/** Ports of TLS from the first byte (RFC 8314 §3); at others it is begun by STARTTLS. */
const withTls: ReadonlySet<number> = new Set([993, 465]);

function serverOf(text: string): ServerFact {
  const [host = '', port] = text.split(':');
  return { host, port: Number(port), secure: withTls.has(Number(port)) };
}

const words = (text: string): readonly string[] => (text === '-' ? [] : text.split(' '));

/** The providers whose settings are known. */
export const mailProviders: readonly MailProvider[] = lines
  .trim()
  .split('\n')
  .map((line) => {
    const [name = '', signIn, imap = '', outgoing = '', ...rest] = line.split(' | ');
    const [domains = '', exchangers = '', source = ''] = rest;
    return {
      ...{ name, signIn: signIn as SignIn, source },
      ...{ imap: serverOf(imap), outgoing: serverOf(outgoing) },
      ...{ domains: words(domains), exchangers: words(exchangers) },
    };
  });

/** The provider of a domain of its own. */
export const providerOfDomain = (domain: string): MailProvider | null =>
  mailProviders.find(({ domains }) => domains.includes(domain)) ?? null;

/** The provider that a domain's mail goes to. */
export const providerOfExchanger = (host: string): MailProvider | null =>
  mailProviders.find(({ exchangers }) =>
    exchangers.some((end) => host === end || host.endsWith(`.${end}`)),
  ) ?? null;
