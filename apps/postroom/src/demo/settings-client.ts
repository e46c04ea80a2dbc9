/** The settings API as a member's script uses it: JSON and a session cookie. */
export class SettingsClient {
  private cookie = '';

  constructor(private readonly settingsUrl: string) {}

  /** Returns the JSON of a success; anything else is an error that quotes the request. */
  async call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(this.settingsUrl + path, {
      method,
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(this.cookie && { cookie: this.cookie }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    const [cookie] = response.headers.getSetCookie();
    if (cookie) this.cookie = cookie.split(';', 1)[0] ?? '';
    return JSON.parse(text) as T;
  }
}
