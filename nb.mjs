const {Dlp}=await import('/tmp/e2/apps/mail/dist/dlp/index.js');
