/*
 * The head that Outlook and its like put above what they quote, in bold or plain: From, Sent, and the other fields
 * in English, German, French, Spanish, Italian, Dutch, Portuguese, Danish and Norwegian, Swedish, Finnish, Polish,
 * Czech, Slovak, Hungarian, Romanian, Croatian and Slovene, Turkish, Greek, Russian, Ukrainian, Bulgarian, Estonian,
 * Latvian, Lithuanian, Japanese, Chinese, Korean, Hebrew, Arabic, Vietnamese, Thai and Indonesian.
 */
// prettier-ignore
const authors = [
  'from', 'von', 'de', 'da', 'van', 'fra', 'från', 'lähettäjä', 'od', 'feladó', 'de la', 'kimden', 'από', 'от',
  'від', 'saatja', 'no', 'nuo', '差出人', '送信者', '发件人', '寄件者', '寄件人', '보낸 사람', 'מאת', 'من', 'từ', 'จาก',
  'dari',
];
// prettier-ignore
const times = [
  'sent', 'gesendet', 'envoyé', 'enviado(?: el| em)?', 'enviada em', 'inviato', 'verzonden', 'sendt', 'skickat',
  'lähetetty', 'wysłan[oey]', 'odesláno', 'odoslané', 'elküldve', 'küldve', 'trimis', 'poslano', 'gönderildi',
  'gönderme tarihi', 'στάλθηκε', 'отправлено', 'надіслано', 'изпратено', 'saadetud', 'nosūtīts', 'išsiųsta',
  '送信日時', '发送时间', '發送時間', '寄件日期', '보낸 날짜', 'נשלח', 'تم الإرسال', 'تاريخ الإرسال', 'đã gửi', 'ส่ง',
  'dikirim', 'terkirim',
];
// prettier-ignore
const others = [
  'date', 'to', 'cc', 'subject', 'datum', 'an', 'betreff', 'à', 'objet', 'fecha', 'para', 'asunto', 'data', 'a',
  'oggetto', 'aan', 'onderwerp', 'assunto', 'til', 'emne', 'dato', 'kopi', 'till', 'ämne', 'kopia', 'vastaanottaja',
  'aihe', 'do', 'temat', 'dw', 'komu', 'předmět', 'kopie', 'predmet', 'címzett', 'tárgy', 'către', 'subiect', 'za',
  'prima', 'zadeva', 'kime', 'konu', 'bilgi', 'προς', 'θέμα', 'кому', 'тема', 'копия', 'дата', 'копія', 'до',
  'относно', 'adressaat', 'teema', 'kam', 'tēma', '宛先', '件名', '日付', '收件人', '抄送', '主题', '日期', '收件者',
  '副本', '主旨', '받는 사람', '제목', '참조', 'אל', 'נושא', 'עותק', 'إلى', 'الموضوع', 'نسخة', 'đến', 'chủ đề', 'ถึง',
  'เรื่อง', 'kepada', 'ke', 'perihal', 'subjek',
];

const field = (names: readonly string[], rest: string): RegExp =>
  new RegExp(`^\\*?(?:${names.join('|')})\\s?[:：]\\*?${rest}`, 'iu');

const author = field(authors, '\\s?\\S');
const time = field(times, '');
const anyField = field([...times, ...others], '');

/** True for the first line of such a head. */
export const isHeadAuthor = (line: string): boolean => author.test(line);

/** True for a line below it. */
export const isHeadField = (line: string): boolean => anyField.test(line);

/** True for the line that says when the quoted message was sent, which no form has. */
export const isHeadSent = (line: string): boolean => time.test(line);
