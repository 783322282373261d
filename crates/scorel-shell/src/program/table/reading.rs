//! Rows of programs that only read, but for what is marked.

/// Programs that only read, but for what is marked.
pub(super) const READING: [(&str, &str); 21] = [
    (
        ": arch basename break continue dirname echo exit expr false free groups id locale \
         logname nproc ps pwd return seq shift sleep tr true tty type uname uptime whereis \
         which whoami",
        "* | =",
    ),
    (
        "b2sum base64 cat cksum cmp column comm df du expand fmt fold hexdump join md5sum nl \
         od paste pr readlink realpath rev sha1sum sha224sum sha256sum sha384sum sha512sum \
         shasum stat strings sum tac tsort unexpand wc ls",
        "* # | <",
    ),
    (
        "head tail",
        "n,lines= c,bytes= s,sleep-interval= pid= * # | <",
    ),
    (
        "cut",
        "b,bytes= c,characters= d,delimiter= f,fields= output-delimiter= * | <",
    ),
    (
        "diff",
        "I,ignore-matching-lines= C= U= W,width= F,show-function-line= x,exclude= L,label= \
         X,exclude-from< S,starting-file= from-file< to-file< * # | <",
    ),
    (
        "date",
        "d,date= f,file< r,reference< s,set=! I,iso-8601? R,rfc-email,rfc-2822 rfc-3339= \
         u,utc,universal debug resolution help version | +",
    ),
    (
        "fd fdfind",
        "x,exec! X,exec-batch! l,list-details! e,extension= t,type= E,exclude= d,max-depth= \
         c,color= j,threads= S,size= * | = <",
    ),
    (
        "file",
        "C,compile! m,magic-file< f,files-from< F,separator= P,parameter= e,exclude= * | <",
    ),
    (
        "grep egrep fgrep",
        "e,regexp=' f,file<' m,max-count= A,after-context= B,before-context= C,context= \
         d,directories= D,devices= label= include= exclude= exclude-from< exclude-dir= \
         binary-files= * # | = <",
    ),
    (
        "rg",
        "e,regexp=' f,file<' files' type-list' pre=! pre-glob= hostname-bin=! g,glob= iglob= \
         t,type= T,type-not= m,max-count= A,after-context= B,before-context= C,context= \
         M,max-columns= d,max-depth= j,threads= r,replace= E,encoding= ignore-file< sort= \
         sortr= color= colors= path-separator= * | = <",
    ),
    (
        "hostname",
        "a,alias A,all-fqdns d,domain f,fqdn,long i,ip-address I,all-ip-addresses s,short \
         y,yp,nis V,version h,help | !",
    ),
    ("printf", "+ v=! | ="),
    ("read", "r s e a=! d= i= n= N= p= t= u= E | v"),
    (
        "sort",
        "b,ignore-leading-blanks d,dictionary-order f,ignore-case g,general-numeric-sort \
         i,ignore-nonprinting M,month-sort h,human-numeric-sort n,numeric-sort R,random-sort \
         random-source< r,reverse sort= V,version-sort batch-size= c C check? \
         compress-program=! debug files0-from<! k,key= m,merge o,output> s,stable \
         S,buffer-size= t,field-separator= T,temporary-directory> parallel= u,unique \
         z,zero-terminated help version | <",
    ),
    ("test [", "^ -v=! -R=! -o! * | ="),
    (
        "tree",
        "o,output> R! L= P= I= H= T= charset= filelimit= timefmt= sort= * | <",
    ),
    (
        "uniq",
        "c,count d,repeated D all-repeated? group? f,skip-fields= i,ignore-case s,skip-chars= \
         u,unique z,zero-terminated w,check-chars= help version # | < >",
    ),
    ("wait", "f n p=! # | ="),
    (
        "sed gsed",
        "n,quiet,silent debug e,expression=' f,file<!' follow-symlinks i,in-place?! \
         l,line-length= posix E,r,regexp-extended s,separate sandbox u,unbuffered z,null-data \
         help version | = <",
    ),
    (
        "awk gawk mawk nawk",
        "+ F,field-separator= v,assign= f,file<!' b,characters-as-bytes c,traditional P,posix \
         r,re-interval version help | = <",
    ),
    (
        "jq",
        "C,color-output M,monochrome-output S,sort-keys a,ascii-output c,compact-output \
         e,exit-status j,join-output n,null-input r,raw-output raw-output0 R,raw-input \
         s,slurp seq stream stream-errors tab unbuffered h,help V,version args jsonargs \
         indent= arg== argjson== slurpfile=< rawfile=< f,from-file<!' L<! | = <",
    ),
];
