//! Rows of other programs.

/// Other programs.
pub(super) const ROWS: [(&str, &str); 31] = [
    (
        "npm",
        "script-shell,shell=! c,call=! node-options=! userconfig,globalconfig<! C,prefix<! \
         cache> logs-dir> pack-destination> git=! editor,viewer,browser=! node-gyp=! \
         init-module<! cafile,provenance-file<! user-agent= g,global location= D,save-dev \
         E,save-exact P,save-prod O,save-optional B,save-bundle S,save no-save save-peer \
         save-prefix= f,force l,long a,all w,workspace= ws,workspaces include-workspace-root \
         if-present s,silent q,quiet d,dd,ddd verbose loglevel= json parseable depth= omit= \
         include= only= also= dev production prod tag= dry-run offline prefer-offline \
         prefer-online prefer-dedupe ignore-scripts foreground-scripts legacy-peer-deps \
         strict-peer-deps audit,no-audit audit-level= fund,no-fund \
         package-lock,no-package-lock package-lock-only bin-links,no-bin-links no-optional \
         progress,no-progress color? no-color install-links install-strategy= global-style \
         legacy-bundling registry= scope= access= otp= y,yes n,no-yes p,package= unicode \
         timing maxsockets= fetch-retries= fetch-timeout= engine-strict strict-ssl \
         no-shrinkwrap diff= diff-name-only diff-unified= expect-results expect-result-count= \
         searchlimit= preid= m,message= git-tag-version,no-git-tag-version sign-git-tag \
         before= cpu= os= libc= lockfile-version= sbom-format= sbom-type= \
         update-notifier,no-update-notifier h,help v,version usage | <",
    ),
    (
        "pnpm yarn",
        "script-shell=! c,call=! node-options=! modules-folder> cache-folder> global-folder> \
         link-folder> preferred-cache-folder> store-dir> virtual-store-dir> cache-dir> \
         state-dir> lockfile-dir> pack-destination> use-yarnrc<! userconfig,globalconfig<! \
         C,cwd,dir,prefix<! * | <",
    ),
    (
        "find",
        "-amin= -atime= -cmin= -ctime= -fstype= -gid= -group= -ilname= -iname= -inum= -ipath= \
         -iregex= -links= -lname= -maxdepth= -mindepth= -mmin= -mtime= -name= -path= -perm= \
         -printf= -regex= -regextype= -size= -type= -user= -used= -uid= -wholename= -xtype= \
         -anewer< -cnewer< -newer< -samefile< -H -L -P -a -and -daystart -depth -empty \
         -executable -false -follow -ls -mount -nogroup -noleaf -not -nouser -o -or -print \
         -print0 -prune -quit -readable -true -writable -xdev -warn -nowarn",
    ),
    ("builtin nohup", "+0"),
    ("command", "p +0"),
    ("exec", "c l a= +0"),
    (
        "env",
        "- i,ignore-environment 0,null v,debug u,unset= C,chdir= S,split-string= \
         list-signal-handling +0",
    ),
    ("time", "p,portability v,verbose q,quiet f,format= +0"),
    ("nice", "n,adjustment= # +0"),
    (
        "timeout",
        "preserve-status foreground v,verbose k,kill-after= s,signal= +1",
    ),
    ("stdbuf", "i,input= o,output= e,error= +0"),
    (
        "xargs",
        "0,null r,no-run-if-empty t,verbose x,exit a,arg-file= n,max-args= P,max-procs= L= I= \
         d,delimiter= E= s,max-chars= e,eof? i,replace? l,max-lines? +0",
    ),
    ("sudo doas", "n E H k S u= g= +0"),
    ("busybox toybox", "+0"),
    (
        "rm",
        "f,force r,R,recursive i I interactive? d,dir v,verbose one-file-system \
         no-preserve-root preserve-root? help version * | <",
    ),
    (
        "shred",
        "f,force n,iterations= random-source< s,size= u remove? v,verbose x,exact z,zero help \
         version * | <",
    ),
    (
        "truncate",
        "c,no-create o,io-blocks r,reference< s,size= help version * | <",
    ),
    (
        "tar bsdtar gtar",
        "~ I,use-compress-program=! F,info-script,new-volume-script=! to-command=! \
         checkpoint? checkpoint-action=! rsh-command=! rmt-command=! P,absolute-names! \
         C,directory<! T,files-from<! X,exclude-from< f,file< g,listed-incremental> \
         index-file> volno-file> one-top-level>? b,blocking-factor= H,format= \
         N,newer,after-date= V,label= L,tape-length= K,starting-file= exclude= \
         transform,xform= strip-components= owner= group= mode= mtime= A,catenate,concatenate \
         c,create delete d,diff,compare r,append test-label t,list u,update x,extract,get \
         check-device no-check-device G,incremental hole-detection= ignore-failed-read level= \
         no-seek n,seek occurrence? sparse-version= S,sparse add-file< exclude-backups \
         exclude-caches exclude-caches-all exclude-caches-under exclude-ignore= \
         exclude-ignore-recursive= exclude-tag= exclude-tag-all= exclude-tag-under= \
         exclude-vcs exclude-vcs-ignores null no-null recursion no-recursion unquote \
         no-unquote verbatim-files-from no-verbatim-files-from anchored no-anchored \
         ignore-case no-ignore-case wildcards no-wildcards wildcards-match-slash \
         no-wildcards-match-slash keep-directory-symlink keep-newer-files k,keep-old-files \
         no-overwrite-dir overwrite overwrite-dir recursive-unlink remove-files \
         skip-old-files U,unlink-first W,verify ignore-command-error no-ignore-command-error \
         O,to-stdout atime-preserve? clamp-mtime delay-directory-restore \
         no-delay-directory-restore group-map,owner-map< m,touch same-owner no-same-owner \
         same-permissions,p,preserve-permissions no-same-permissions numeric-owner sort= \
         s,preserve-order,same-order acls no-acls selinux no-selinux xattrs no-xattrs \
         xattrs-exclude= xattrs-include= force-local M,multi-volume B,read-full-records \
         i,ignore-zeros record-size= o,old-archive,portability pax-option= posix \
         a,auto-compress no-auto-compress j,bzip2 J,xz lzip lzma lzop zstd \
         z,gzip,gunzip,ungzip Z,compress,uncompress backup? suffix= hard-dereference \
         h,dereference newer-mtime= one-file-system full-time l,check-links no-quote-chars= \
         quote-chars= quoting-style= R,block-number show-defaults show-omitted-dirs \
         show-snapshot-field-ranges show-transformed-names,show-stored-names totals? utc \
         v,verbose warning= w,interactive,confirmation restrict help usage version | <",
    ),
    (
        "ssh slogin",
        "+ o=! F<! S=! J=! D=! P=! E> i< p= l= L= R= b= B= c= e= m= O= Q= w= W= I<! 4 6 A! a \
         C f G g K k M N n q s T t V v X! x Y! y | <",
    ),
    (
        "scp",
        "+ o=! F<! S=! J=! D=! i< c= l= P= X= 3 4 6 A! B C O p q R r s T v | <",
    ),
    (
        "sftp",
        "+ o=! F<! S=! J=! D=! b<! s=! i< B= c= l= P= R= X= 4 6 A! a C f N p q r v | <",
    ),
    (
        "rsync",
        "e,rsh=! rsync-path=! M,remote-option=! early-input<! daemon! config<! write-devices! \
         backup-dir> partial-dir> T,temp-dir> log-file> write-batch> only-write-batch> \
         read-batch< files-from< exclude-from< include-from< password-file< f,filter= \
         B,block-size= log-file-format= out-format= exclude= include= compare-dest= \
         copy-dest= link-dest= suffix= chmod= chown= usermap= groupmap= checksum-choice,cc= \
         checksum-seed= compress-choice,zc= compress-level,zl= skip-compress= max-delete= \
         max-size= min-size= max-alloc= modify-window= timeout= contimeout= address= port= \
         sockopts= outbuf= bwlimit= stop-after,time-limit= stop-at= protocol= iconv= info= \
         debug= stderr= v,verbose no-verbose q,quiet no-motd c,checksum no-checksum a,archive \
         r,recursive no-recursive R,relative no-relative no-implied-dirs b,backup no-backup \
         u,update inplace append append-verify d,dirs no-dirs old-dirs mkpath l,links \
         no-links L,copy-links copy-unsafe-links safe-links munge-links k,copy-dirlinks \
         K,keep-dirlinks H,hard-links no-hard-links p,perms no-perms E,executability A,acls \
         no-acls X,xattrs no-xattrs o,owner no-owner g,group no-group devices no-devices \
         copy-devices specials no-specials D no-D t,times no-times U,atimes open-noatime \
         N,crtimes O,omit-dir-times no-omit-dir-times J,omit-link-times super fake-super \
         S,sparse preallocate n,dry-run W,whole-file no-whole-file x,one-file-system \
         existing,ignore-non-existing ignore-existing remove-source-files del delete \
         delete-before delete-during delete-delay delete-after delete-excluded \
         ignore-missing-args delete-missing-args ignore-errors force partial no-partial \
         delay-updates m,prune-empty-dirs numeric-ids I,ignore-times size-only y,fuzzy \
         z,compress no-compress old-compress new-compress C,cvs-exclude F 0,from0 old-args \
         s,secluded-args,protect-args trust-sender blocking-io stats 8,8-bit-output \
         h,human-readable no-human-readable progress P i,itemize-changes list-only fsync \
         4,ipv4 6,ipv6 V,version help | <",
    ),
    (
        "curl",
        "d,data,data-ascii,data-binary,data-urlencode,json,url-query,variable@ F,form@ \
         H,header,proxy-header@ b,cookie<! T,upload-file<! K,config<! o,output>! \
         O,remote-name! J! remote-name-all! output-dir>! D,dump-header>! c,cookie-jar>! \
         trace,trace-ascii>! stderr>! libcurl>! etag-save>! etag-compare<! hsts,alt-svc>! \
         E,cert,proxy-cert@! key,proxy-key,pubkey<! \
         cacert,capath,crlfile,proxy-cacert,proxy-capath,proxy-crlfile<! netrc-file<! \
         n,netrc! w,write-out@! Q,quote=! unix-socket,abstract-unix-socket<! \
         x,proxy,preproxy=! url@! engine=! egd-file,random-file<! data-raw,form-string=! \
         A,user-agent= e,referer= m,max-time= connect-timeout= r,range= retry= retry-delay= \
         retry-max-time= u,user= U,proxy-user= X,request= y= Y= z= C,continue-at= P= t= \
         max-redirs= max-filesize= limit-rate= resolve= connect-to= interface= proto= \
         ciphers= tls-max= noproxy= f,fail fail-with-body s,silent S,show-error L,location \
         i,include I,head k,insecure g,globoff G,get v,verbose V,version N,no-buffer a j l q \
         p R,remote-time B M Z,parallel h,help compressed http1.1 http2 http3 0 1 2 3 4 6 # | \
         u",
    ),
    (
        "wget",
        "O,output-document>! P,directory-prefix>! i,input-file<! e,execute=! use-askpass?! \
         post-file,body-file<! o,output-file>! a,append-output>! load-cookies<! \
         save-cookies>! rejected-log>! warc-file>! warc-tempdir>! warc-dedup<! hsts-file>! \
         ca-certificate,certificate,private-key,config<! crl-file,ca-directory<! \
         b,background! post-data,body-data=! t,tries= T,timeout= U,user-agent= header= \
         method= l,level= A,accept= R,reject= D,domains= Q,quota= w,wait= user= password= \
         B,base= V,version h,help d,debug q,quiet v,verbose n,no-verbose report-speed= \
         F,force-html no-config retry-connrefused retry-on-http-error= no-netrc c,continue \
         no-clobber start-pos= progress= show-progress N,timestamping no-timestamping \
         no-if-modified-since no-use-server-timestamps S,server-response spider dns-timeout= \
         connect-timeout= read-timeout= waitretry= random-wait no-proxy bind-address= \
         limit-rate= no-dns-cache restrict-file-names= ignore-case prefer-family= \
         ask-password no-iri local-encoding= remote-encoding= unlink xattr \
         x,force-directories no-directories no-host-directories protocol-directories \
         cut-dirs= http-user= http-password= no-cache default-page= E,adjust-extension \
         html-extension ignore-length compression= max-redirect= proxy-user= proxy-password= \
         referer= save-headers no-http-keep-alive no-cookies keep-session-cookies \
         content-disposition content-on-error auth-no-challenge secure-protocol= https-only \
         no-check-certificate certificate-type= private-key-type= pinnedpubkey= ciphers= \
         no-hsts ftp-user= ftp-password= no-remove-listing no-glob no-passive-ftp \
         preserve-permissions retr-symlinks ftps-implicit ftps-resume-ssl \
         ftps-clear-data-connection ftps-fallback-to-ftp warc-header= warc-max-size= warc-cdx \
         no-warc-compression no-warc-digests no-warc-keep-log r,recursive no-parent \
         delete-after k,convert-links convert-file-only backups? K,backup-converted m,mirror \
         p,page-requisites strict-comments accept-regex= reject-regex= regex-type= \
         exclude-domains= follow-ftp follow-tags= ignore-tags= H,span-hosts L,relative \
         I,include-directories= trust-server-names X,exclude-directories= 4,inet4-only \
         6,inet6-only | u",
    ),
    (
        "cargo",
        "config=! manifest-path<! lockfile-path> target-dir> artifact-dir,out-dir> root> \
         output-path> output-dir> emit= open! x,exec=! s,shell=! test-runner=! C<! Z= \
         p,package= j,jobs= color= F,features= bin= example= test= bench= target= profile= \
         message-format= all all-features all-targets allow-dirty allow-no-vcs allow-staged \
         aggressive base= benches bins b,breaking branch= broken-code build charset= check \
         debug default-features depth= dev doc document-private-items edition? edition-idioms \
         e,edges= examples exclude= explain= filter-platform= fix format-version= frozen \
         f,force format= future-incompat-report git= h,help ignore-rust-version index= \
         i,invert keep-going lib list locked no-dedupe no-default-features no-delete no-deps \
         no-fail-fast no-optional no-public no-run no-track no-verify offline optional path< \
         precise= prefix= prune= public q,quiet r,release recursive registry= rename= \
         respect-source-config rev= tag= tests timings? unit-graph vcs= name= version? V \
         versioned-dirs v,verbose w,workspace d,duplicates n,dry-run cargo-profile= \
         no-capture test-threads= retries= run-ignored= E,filter-expr,filterset= no-tests= \
         partition= status-level= final-status-level= failure-output= success-output= \
         fail-fast max-fail= hide-progress-bar P accept review reject accept-unseen \
         unreferenced= include-ignored keep-pending force-update-snapshots check-pending html \
         lcov json text cobertura summary-only ignore-filename-regex= show-missing-lines \
         no-report fail-under-lines= limit= l bindeps | <",
    ),
    (
        "go",
        "-exec,exec=! -toolexec,toolexec=! -vettool,vettool=! -ldflags,ldflags=! \
         -gccgoflags,gccgoflags=! -gcflags,gcflags=! -asmflags,asmflags=! -overlay,overlay<! \
         -modfile,modfile<! -C< -o> -w! -http! -coverprofile,-test.coverprofile> \
         -cpuprofile,-test.cpuprofile> -memprofile,-test.memprofile> \
         -blockprofile,-test.blockprofile> -mutexprofile,-test.mutexprofile> \
         -trace,-test.trace> -outputdir,-test.outputdir> -test.gocoverdir> -test.testlogfile> \
         -test.fuzzcachedir> -pkgdir> -debug-trace> -debug-actiongraph> -debug-runtime-trace> \
         -reuse< -pgo< -p= -mod= -tags= -buildmode= -compiler= -installsuffix= -covermode= \
         -coverpkg= -run,-test.run= -skip= -list= -bench,-test.bench= -benchtime= \
         -count,-test.count= -cpu= -fuzz= -fuzztime= -fuzzminimizetime= -parallel= -shuffle= \
         -timeout,-test.timeout= -vet= -f= -blockprofilerate= -memprofilerate= \
         -mutexprofilefraction= -go= -compat= -require= -droprequire= -exclude= -dropexclude= \
         -replace= -dropreplace= -retract= -dropretract= -module= -toolchain= -a -c -d -e -i \
         -l -m -n -r -s -t -u -v,-test.v -x -race -msan -asan -cover -work -linkshared \
         -modcacherw -trimpath -buildvcs -json -short,-test.short -failfast -fullpath \
         -benchmem -all -cmd -src -deps -find -export -test -compiled -versions -retracted \
         -insecure -fix -print -fmt -sync -cache -testcache -modcache -fuzzcache -changed \
         -diff -args | <",
    ),
    (
        "zip",
        "T,test! unzip-command=! O,output-file>! logfile-path> b,temp-path> r,recurse-paths \
         R,recurse-patterns q,quiet v,verbose j,junk-paths m,move u,update f,freshen d,delete \
         e,encrypt y,symlinks X,no-extra D,no-dir-entries 0 1 2 3 4 5 6 7 8 9 o,latest-time \
         g,grow x,exclude i,include A,adjust-sfx S,system-hidden F,fix s,split-size= \
         n,suffixes= t,from-date= before-date= Z,compression-method= P,password= \
         c,entry-comments z,archive-comment k,DOS-names h,help L,license p,paths filesync | <",
    ),
    (
        "man",
        "P,pager=! H,html?! T,troff-device?! X,gxditview?! C,config-file<! M,manpath<! \
         r,prompt=! d,debug D,default warnings? f,whatis k,apropos K,global-apropos \
         l,local-file w,where,path,location W,where-cat,location-cat R,recode= L,locale= \
         m,systems= S,s,sections= e,extension= i,ignore-case I,match-case regex wildcard \
         names-only a,all u,update no-subpages 7,ascii E,encoding= no-hyphenation,nh \
         no-justification,nj p,preprocessor= t,troff Z,ditroff help V,version # | =",
    ),
    (
        "apt apt-get",
        "o,option=! c,config-file<! y,yes,assume-yes q,quiet? \
         s,simulate,just-print,dry-run,recon,no-act d,download-only f,fix-broken \
         m,ignore-missing u,show-upgraded V,verbose-versions a,all-versions \
         t,target-release,default-release= host-architecture= installed upgradable \
         manual-installed no-install-recommends install-recommends no-install-suggests \
         install-suggests reinstall only-upgrade no-upgrade purge autoremove auto-remove \
         allow-downgrades allow-unauthenticated full names-only no-download no-remove h,help \
         v,version | =",
    ),
    (
        "dpkg",
        "pre-invoke,post-invoke,status-logger=! root,admindir,instdir,log> a,pending \
         E,skip-same-version G,refuse-downgrade O,selected-only R,recursive \
         B,auto-deconfigure abort-after= i,install unpack configure r,remove P,purge l,list \
         s,status L,listfiles S,search p,print-avail V,verify C,audit get-selections \
         print-architecture print-foreign-architectures compare-versions c,contents I,info \
         f,field W,show showformat= no-pager no-act,dry-run,simulate D,debug= help version | \
         =",
    ),
    (
        "python pypy",
        "+ c=! m= W= X= Q= b B d E h i I O P q R s S t u v V x",
    ),
];
